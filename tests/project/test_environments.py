"""Environments, the defaults of their groups, and the repositories they name."""

from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.project.resources import Admission, DriftRepair, Environment, EnvironmentSource, RepositoryLocation
from tests.project.builders import ENVIRONMENT, problems_of, project_of, the_problem

REPOSITORY = """\
apiVersion: gitops.nyl/v1
kind: GitRepository
metadata: {name: platform-state}
spec: {repoURL: 'https://example.com/state.git', publishURL: 'ssh://git@example.com/state.git'}
"""


def environment_of(root: Path, fields: str = "", **files: str) -> Environment:
    others = {f"{name}.yaml": text for name, text in files.items()}
    return project_of(root, {"e.yaml": ENVIRONMENT + fields, **others}).environments["dev"]


def group(name: str, defaults: str, selector: str = "{matchLabels: {stage: dev}}") -> str:
    head = f"apiVersion: gitops.nyl/v1\nkind: EnvironmentGroup\nmetadata: {{name: {name}}}\n"
    return f"{head}spec:\n  environmentSelector: {selector}\n  defaults: {{{defaults}}}\n"


def test_fields_default_as_documented(tmp_path: Path) -> None:
    found = environment_of(tmp_path)
    assert (found.source, found.protected_refs) == (EnvironmentSource(), None)
    assert (found.allow_unprotected_source, found.drift_repair) == (False, DriftRepair.CONVERGE)
    assert (found.admission, found.state.repository, found.state.path) == (Admission(), None, "")
    assert found.state.desired_ref == "refs/heads/nyl/dev/desired"
    assert found.state.observed_ref == "refs/heads/nyl/dev/observed"
    assert found.state.coordination_prefix == "refs/nyl"


def test_an_environment_without_spec_selects_every_unit(tmp_path: Path) -> None:
    bare = "apiVersion: gitops.nyl/v1\nkind: Environment\nmetadata: {name: dev}\n"
    assert project_of(tmp_path, {"e.yaml": bare}).environments["dev"].selects({"any": "thing"})


def test_units_are_selected_by_labels(tmp_path: Path) -> None:
    found = environment_of(tmp_path, "  unitSelector: {matchLabels: {tier: platform, a: b}}\n")
    assert found.selects({"tier": "platform", "a": "b", "c": "d"})
    assert not found.selects({"tier": "platform"})


def test_state_is_placed_in_another_repository(tmp_path: Path) -> None:
    refs = "desiredRef: refs/state/dev, observedRef: s, path: a/./b/"
    state = f"  state: {{repositoryRef: {{name: platform-state}}, {refs}}}\n"
    found = environment_of(tmp_path, state, repository=REPOSITORY).state
    assert found.repository == RepositoryLocation("https://example.com/state.git", "ssh://git@example.com/state.git")
    assert (found.desired_ref, found.observed_ref, found.path) == ("refs/state/dev", "refs/heads/s", "a/b")


def test_an_unknown_repository_names_the_nearest_one(tmp_path: Path) -> None:
    files = {"e.yaml": ENVIRONMENT + "  state: {repositoryRef: {name: platform-stat}}\n", "r.yaml": REPOSITORY}
    problem = the_problem(tmp_path, files, Code.REPOSITORY_UNKNOWN, "e.yaml", 1)
    assert "platform-state" in problem.fix


@pytest.mark.parametrize("url", ["https://user:token@example.com/x.git", "ext::sh -c evil", "-oProxyCommand=evil"])
def test_dangerous_urls_are_refused_without_showing_credentials(tmp_path: Path, url: str) -> None:
    text = REPOSITORY.replace("https://example.com/state.git", url)
    assert "token" not in the_problem(tmp_path, {"r.yaml": text}, Code.URL_REFUSED, "r.yaml", 1).message


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", ".git"])
def test_state_paths_cannot_leave_the_refs(tmp_path: Path, path: str) -> None:
    the_problem(tmp_path, {"e.yaml": ENVIRONMENT + f"  state: {{path: {path}}}\n"}, Code.PATH_REFUSED, "e.yaml", 1)


@pytest.mark.parametrize("ref", ["-x", "a..b", "a b", "x.lock", "a~1"])
def test_hostile_ref_names_are_refused(tmp_path: Path, ref: str) -> None:
    for field in (f"state: {{desiredRef: '{ref}'}}", f"source: {{revision: '{ref}'}}"):
        the_problem(tmp_path, {"e.yaml": ENVIRONMENT + f"  {field}\n"}, Code.URL_REFUSED, "e.yaml", 1)


@pytest.mark.parametrize(
    "field",
    [
        "  source: {commit: 0123456789012345678901234567890123456789}",
        "  source: {revision: main, commit: 01234567}",
        "  driftRepair: never",
        "  allowUnprotectedSource: 'yes'",
        "  protectedRefs: []",
        "  protectedRefs: main",
        "  unitSelector: {matchLabels: {a: 1}}",
        "  admission: {passthrough: AWS}",
        "  state: {repository: {}}",
        "  state: {coordinationRefPrefix: nyl}",
    ],
)
def test_bad_values_are_refused(tmp_path: Path, field: str) -> None:
    (problem,) = problems_of(tmp_path, {"e.yaml": ENVIRONMENT + field + "\n"})
    assert problem.code in (Code.RESOURCE_INVALID, Code.YAML_INVALID)
    assert problem.location is not None
    assert problem.location.line == 8


def test_groups_give_defaults_and_the_environment_wins(tmp_path: Path) -> None:
    defaults = "values: {size: big, net: {a: 1, b: 2}}, driftRepair: manual, protectedRefs: [main]"
    fields = "  protectedRefs: [release]\n"
    text = ENVIRONMENT.replace("{size: small}", "{size: small, net: {b: 3}}") + fields
    found = project_of(tmp_path, {"e.yaml": text, "g.yaml": group("g", defaults)}).environments["dev"]
    assert found.values == {"size": "small", "net": {"a": 1, "b": 3}}
    assert (found.drift_repair, found.protected_refs) == (DriftRepair.MANUAL, ("release",))


def test_groups_of_other_environments_give_nothing(tmp_path: Path) -> None:
    other = group("g", "driftRepair: manual", "{matchLabels: {stage: production}}")
    assert environment_of(tmp_path, g=other).drift_repair is DriftRepair.CONVERGE


def test_the_state_of_an_environment_replaces_that_of_its_group_whole(tmp_path: Path) -> None:
    found = environment_of(tmp_path, "  state: {path: mine}\n", g=group("g", "state: {path: x, desiredRef: shared}"))
    assert (found.state.path, found.state.desired_ref) == ("mine", "refs/heads/nyl/dev/desired")


@pytest.mark.parametrize(
    ("one", "other", "field"),
    [
        ("driftRepair: manual", "driftRepair: converge", "driftRepair"),
        ("values: {net: {a: 1}}", "values: {net: {a: 2}}", "values.net.a"),
        ("values: {net: {a: 1}}", "values: {net: x}", "values.net"),
        ("values: {a: 1}", "values: {a: true}", "values.a"),
    ],
)
def test_groups_that_contradict_each_other_are_refused(tmp_path: Path, one: str, other: str, field: str) -> None:
    files = {"e.yaml": ENVIRONMENT, "a.yaml": group("a", one), "b.yaml": group("b", other)}
    problem = the_problem(tmp_path, files, Code.GROUP_CONFLICT, "b.yaml", 1)
    assert f"for {field}." in problem.message
    assert "a.yaml:1" in problem.message


def test_groups_may_agree_and_complete_each_other(tmp_path: Path) -> None:
    found = environment_of(tmp_path, a=group("a", "values: {x: {a: 1}}"), b=group("b", "values: {x: {a: 1, b: 2}}"))
    assert found.values == {"size": "small", "x": {"a": 1, "b": 2}}


def test_two_environments_cannot_share_a_folder_of_a_ref(tmp_path: Path) -> None:
    shared = "  state: {desiredRef: shared, observedRef: shared%s}\n"
    other = ENVIRONMENT.replace("name: dev", "name: prod")
    files = {"a.yaml": ENVIRONMENT + shared % "", "b.yaml": other + shared % ""}
    assert "state.path" in the_problem(tmp_path, files, Code.RESOURCE_INVALID, "b.yaml", 1).fix
    apart = {"a.yaml": ENVIRONMENT + shared % ", path: a", "b.yaml": other + shared % ", path: b"}
    assert len(project_of(tmp_path / "b", apart).environments) == 2
