"""The fields that all kinds share, and the checks of rendered specs."""

from datetime import timedelta
from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.project.units import (
    ApprovalBinding,
    ApprovalPolicy,
    DeletionPolicy,
    OutputDeclaration,
    RenderedUnit,
    UnitAddress,
)
from tests.project.builders import ENVIRONMENT, OTHER, UNIT, problems_of, project_of, spec_of, the_problem


def unit_of(root: Path, text: str) -> RenderedUnit:
    project = project_of(root, {"e.yaml": ENVIRONMENT, "u.yaml": text})
    return project.render(project.environments["dev"]).units["web"]


def refused(root: Path, field: str, code: Code = Code.RESOURCE_INVALID) -> str:
    return the_problem(root, {"e.yaml": ENVIRONMENT, "u.yaml": UNIT + field + "\n"}, code, "u.yaml", 7).message


def test_fields_default_as_documented(tmp_path: Path) -> None:
    unit = unit_of(tmp_path, UNIT)
    assert (unit.enabled, unit.approval, unit.deletion_policy) == (True, None, None)
    assert (unit.outputs, unit.depends_on, unit.passthrough, unit.secrets) == ({}, (), (), {})
    assert unit.timeout == timedelta(minutes=30)


def test_fields_are_read(tmp_path: Path) -> None:
    unit = unit_of(
        tmp_path,
        UNIT
        + "  outputs: {host: {type: string}, key: {type: object, sensitive: true, description: d}}\n"
        + "  dependsOn: [a, {unit: b}, {environment: infra, unit: c, evidence: published}]\n"
        + "  approval: {mode: manual, bind: plan}\n"
        + "  deletionPolicy: Retain\n"
        + "  timeout: 1h30m\n"
        + "  env: {passthrough: [AWS_REGION], secrets: {PASSWORD: db-password}}\n",
    )
    assert unit.outputs == {"host": OutputDeclaration("string"), "key": OutputDeclaration("object", True, "d")}
    assert unit.depends_on == (UnitAddress("a"), UnitAddress("b"), UnitAddress("c", "infra"))
    assert unit.approval == ApprovalPolicy(ApprovalBinding.PLAN)
    assert unit.deletion_policy is DeletionPolicy.RETAIN
    assert (unit.timeout, unit.passthrough) == (timedelta(minutes=90), ("AWS_REGION",))
    assert unit.secrets == {"PASSWORD": "db-password"}


def test_a_timeout_may_be_seven_days(tmp_path: Path) -> None:
    assert unit_of(tmp_path, UNIT + "  timeout: 7d\n").timeout == timedelta(days=7)


@pytest.mark.parametrize(
    "field",
    [
        "  timeout: 8d",
        "  timeout: 7d1s",
        "  timeout: 0s",
        "  timeout: 10",
        "  timeout: soon",
        "  enabled: 'yes'",
        "  outputs: {host: {}}",
        "  outputs: {host: {type: text}}",
        "  outputs: {'bad name': {type: string}}",
        "  dependsOn: web",
        "  dependsOn: [Web]",
        "  dependsOn: [{environment: infra}]",
        "  deletionPolicy: Delete",
        "  approval: automatic",
        "  env: {passthrough: ['A=B']}",
        "  env: {secrets: {'A-B': x}}",
        "  env: {secrets: {A: 1}}",
        "  labels: {a: b}",
    ],
)
def test_bad_values_are_refused_at_their_line(tmp_path: Path, field: str) -> None:
    assert "web" in refused(tmp_path, field)


@pytest.mark.parametrize("entry", ["{unit: a, evidence: attested}", "{unit: a, attestations: [slsa]}"])
def test_attestations_are_refused_by_their_own_code(tmp_path: Path, entry: str) -> None:
    found = problems_of(tmp_path, {"e.yaml": ENVIRONMENT, "u.yaml": UNIT + f"  dependsOn:\n  - {entry}\n"})
    assert [(each.code, str(each.location)) for each in found] == [(Code.ATTESTATIONS_UNSUPPORTED, "u.yaml:8")]


def test_a_spec_without_a_required_field_is_refused(tmp_path: Path) -> None:
    unit = UNIT.replace("command: ['./web.sh', '{{ values.size }}']", "values: {}")
    assert (
        "command"
        in the_problem(tmp_path, {"e.yaml": ENVIRONMENT, "u.yaml": unit}, Code.RESOURCE_INVALID, "u.yaml", 5).message
    )


def test_a_unit_without_spec_is_refused(tmp_path: Path) -> None:
    the_problem(tmp_path, {"u.yaml": UNIT.partition("spec:")[0]}, Code.RESOURCE_INVALID, "u.yaml", 1)


@pytest.mark.parametrize("spec", ["spec: text", "spec: [a]", "spec: 1"])
def test_a_spec_that_is_no_mapping_is_refused(tmp_path: Path, spec: str) -> None:
    unit = UNIT.partition("spec:")[0] + spec + "\n"
    the_problem(tmp_path, {"e.yaml": ENVIRONMENT, "u.yaml": unit}, Code.RESOURCE_INVALID, "u.yaml", 5)


def test_references_stand_for_values_of_any_type(tmp_path: Path) -> None:
    image = f"apiVersion: {OTHER}\nkind: Image\nmetadata: {{name: web}}\nspec:\n"
    good = image + "  arguments: {URL: {fromUnit: {unit: api, output: url}}}\n"
    assert unit_of(tmp_path, good).spec["arguments"]["URL"]["fromUnit"]["unit"] == "api"
    bad = image + "  arguments:\n    URL: {other: 1}\n"
    the_problem(tmp_path / "b", {"e.yaml": ENVIRONMENT, "u.yaml": bad}, Code.RESOURCE_INVALID, "u.yaml", 6)


def test_references_are_refused_outside_the_fields_that_take_them(tmp_path: Path) -> None:
    unit = UNIT.replace("'{{ values.size }}'", "{fromUnit: {unit: a, output: b}}")
    the_problem(tmp_path, {"e.yaml": ENVIRONMENT, "u.yaml": unit}, Code.RESOURCE_INVALID, "u.yaml", 6)


def test_kinds_have_the_defaults_of_the_settings(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, UNIT, config='[units.Command]\nfiles = ["**"]\ncommand = ["x"]\n')
    assert spec == {"files": ["**"], "command": ["./web.sh", "small"]}


def test_default_fields_that_a_kind_does_not_have_are_refused(tmp_path: Path) -> None:
    found = problems_of(tmp_path, {"u.yaml": UNIT}, "[units.Comand]\nx = 1\n[units.Command]\nfile = 1\n")
    assert [str(each.location) for each in found] == ["nyl.toml:1", "nyl.toml:4"]
    assert {each.code for each in found} == {Code.CONFIG_INVALID}
    assert [each.fix for each in found] == ["did you mean Command?", "did you mean files?"]


def test_a_timeout_that_is_a_number_is_answered_with_durations(tmp_path: Path) -> None:
    unit = UNIT + "  timeout: 10\n"
    problem = the_problem(tmp_path, {"e.yaml": ENVIRONMENT, "u.yaml": unit}, Code.RESOURCE_INVALID, "u.yaml", 7)
    assert problem.fix.startswith("write a duration such as `90s`")


def test_a_sentence_that_ends_in_a_question_has_no_full_stop(tmp_path: Path) -> None:
    unit = UNIT + "  fils: []\n"
    problem = the_problem(tmp_path, {"e.yaml": ENVIRONMENT, "u.yaml": unit}, Code.RESOURCE_INVALID, "u.yaml", 7)
    assert problem.message.endswith("did you mean files?")
