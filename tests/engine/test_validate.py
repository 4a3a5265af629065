"""`nyl validate`: every problem of a project at once, whatever kind it is of, and each once."""

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import Severity
from nyl.engine.requests import Selection, ValidateRequest
from nyl.engine.validate import validate
from tests.engine.builders import codes
from tests.engine.projects import workspace
from tests.support.kubernetes_project import GROUP, PROJECT, REPOSITORY, TARGET
from tests.support.world import World

UNIT = """\
apiVersion: units.gitops.nyl/v1
kind: Command
metadata: {{name: {name}}}
spec: {{command: [./run.sh], {fields}}}
"""


def found(world: World, **units: str) -> list[tuple[str, str]]:
    """Code and unit of each problem of a project with some units, in the order in which they are reported."""
    for name, fields in units.items():
        world.write(f"{name}.yaml", UNIT.format(name=name, fields=fields))
    world.commit(push=False)
    report = validate(workspace(world), ValidateRequest(Selection()))
    return [(each.code.value, each.unit or "") for each in report.all_diagnostics]


@pytest.fixture
def project(world: World) -> World:
    return world.environment("dev")


def test_problems_of_templates_and_of_references_are_reported_together(project: World) -> None:
    problems = found(project, a="timeout: '{{ values.nowhere }}'", b="dependsOn: [nothing]")
    assert problems == [("NYL-TEMPLATE-INVALID", "a"), ("NYL-DEPENDENCY-UNKNOWN", "b")]


def test_a_unit_that_cannot_be_rendered_is_no_unknown_producer(project: World) -> None:
    values = "values: {x: {fromUnit: {unit: a, output: host}}}"
    assert found(project, a="timeout: '{{ values.nowhere }}'", b=values) == [("NYL-TEMPLATE-INVALID", "a")]


def test_a_broken_unit_is_no_unknown_producer_of_another_environment_either(project: World) -> None:
    project.environment("infra", unitSelector={"matchLabels": {"tier": "infra"}})
    problems = found(project, a="timeout: '{{ values.nowhere }}'", b="dependsOn: [{environment: dev, unit: a}]")
    assert problems == [("NYL-TEMPLATE-INVALID", "a")]


def test_files_outside_the_repository_are_refused(project: World) -> None:
    assert found(project, a="files: [../../etc/passwd]") == [("NYL-PATH-REFUSED", "a")]


def test_a_yaml_file_that_git_lfs_keeps_elsewhere_is_warned_of_as_it_may_hold_units(project: World) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 9\n"
    project.write("units/a.yaml", pointer).write("data.json", pointer).commit(push=False)
    for _ in range(2):  # the second time from the cache
        [told] = validate(workspace(project), ValidateRequest(Selection())).all_diagnostics
        assert (told.code, told.severity, str(told.location)) == (Code.SOURCE_INPUT, Severity.WARNING, "units/a.yaml")


def codes_at(world: World, at: str | None = None) -> list[str]:
    return codes(validate(workspace(world), ValidateRequest(Selection(), at)).all_diagnostics)


def test_a_commit_is_checked_as_it_is_and_not_as_the_working_tree_is(alone: World) -> None:
    good, unknown = alone.environment().unit("a").commit(), ["NYL-DEPENDENCY-UNKNOWN"]
    bad = alone.unit("a", dependsOn=["nobody"]).commit()
    assert (codes_at(alone), codes_at(alone, good), codes_at(alone, bad)) == (unknown, [], unknown)
    alone.unit("a")
    assert (codes_at(alone), codes_at(alone, "HEAD")) == ([], unknown)


def test_it_needs_no_state_and_asks_no_remote(world: World) -> None:
    world.pair().commit()
    world.origin.rename(world.tmp / "gone.git")
    assert codes_at(world) == []


def test_a_producer_that_its_environment_disables_is_unknown_to_other_environments(world: World) -> None:
    for name in ("infra", "services"):
        world.environment(name, unitSelector={"matchLabels": {"in": name}})
    world.unit("network", labels={"in": "infra"}, enabled=False)
    world.unit("api", labels={"in": "services"}, dependsOn=[{"environment": "infra", "unit": "network"}])
    world.commit(push=False)
    assert codes_at(world) == ["NYL-DEPENDENCY-UNKNOWN"]


def test_environments_are_listed_as_runs_take_them(world: World) -> None:
    world.environment("a", unitSelector={"matchLabels": {"in": "a"}})
    world.environment("b", unitSelector={"matchLabels": {"in": "b"}})
    world.unit("consumer", labels={"in": "a"}, dependsOn=[{"environment": "b", "unit": "producer"}])
    world.unit("producer", labels={"in": "b"}).commit(push=False)
    report = validate(workspace(world), ValidateRequest(Selection()))
    assert [each.environment for each in report.environments] == ["b", "a"]


def test_targets_are_checked_beside_environments(project: World) -> None:
    for name, text in PROJECT.items():
        project.write(name, text)
    project.write("group.yaml", GROUP.replace("{}", "{projectRef: nowhere}"))
    assert found(project, a="dependsOn: [nothing]") == [
        ("NYL-DEPENDENCY-UNKNOWN", "a"),
        ("NYL-ARGOCD-PROJECT-UNKNOWN", ""),
    ]


def test_a_selection_of_environments_leaves_targets_out(project: World) -> None:
    project.write("group.yaml", GROUP).write("target.yaml", TARGET).write("repository.yaml", REPOSITORY)
    assert found(project) == [("NYL-CLUSTER-UNKNOWN", "")]
    assert not validate(workspace(project), ValidateRequest(Selection(("dev",)))).all_diagnostics


@pytest.mark.parametrize(
    ("version", "meant"),
    [
        ("units.gitops.nyl/v2", "units.gitops.nyl/v1"),
        ("unit.gitops.nyl/v1", "units.gitops.nyl/v1"),
        ("units.gitops.nyl", "units.gitops.nyl/v1"),
        ("gitops.nyl/v1beta1", "gitops.nyl/v1"),
    ],
)
def test_a_document_of_a_group_of_nyl_that_there_is_not_is_told_of(project: World, version: str, meant: str) -> None:
    project.write("a.yaml", f"# one\napiVersion: {version}\nkind: Thing\nmetadata: {{name: '{{{{ broken'}}\n")
    project.write("b.yaml", f"apiVersion: v1\nkind: ConfigMap\ndata:\n  x: |\n    apiVersion: {version}\n").commit(
        push=False
    )
    report = validate(workspace(project), ValidateRequest(Selection()))
    (warning,) = report.diagnostics
    assert (warning.code.value, str(warning.location)) == ("NYL-KIND-UNKNOWN", "a.yaml:2")
    assert (f"`apiVersion: {meant}`" in warning.fix, report.exit) == (True, 0)
