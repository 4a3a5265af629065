"""Runs page, References between units: what is checked before any state is read."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError, Problems
from nyl.engine.preflight import Nameable, check_units, environment_dependencies
from nyl.project.resources import Admission, Environment
from nyl.project.units import (
    ApprovalBinding,
    ApprovalPolicy,
    DeletionPolicy,
    OutputDeclaration,
    RenderedUnit,
    UnitAddress,
)
from nyl.units.images.driver import OciImageDriver
from tests.engine.builders import COMMAND, check, codes, environment, output, unit

DB = unit("db", outputs={"host": "string", "password": OutputDeclaration("string", sensitive=True)})
INFRA = {"infra": {"net": unit("net", outputs={"id": "string"})}}


def refused(*units: RenderedUnit, where: Environment | None = None) -> NylError:
    problems = Problems()
    known: Mapping[str, RenderedUnit] = {each.name: each for each in units}
    check_units(where or environment(), known, lambda _: COMMAND, Nameable(INFRA.get, ("dev", *INFRA)), problems)
    with pytest.raises(NylError) as caught:
        problems.raise_any()
    assert all(each.fix for each in caught.value.diagnostics)
    return caught.value


def test_references_and_dependencies_become_needs() -> None:
    web = unit("web", "log", values={"host": output("host", "db"), "id": output("id", "net", "infra")})
    checked = check(DB, unit("log"), web, others=INFRA)["web"]
    assert checked.needs == {"db", "log"}
    assert checked.foreign == {UnitAddress("net", "infra")}
    assert environment_dependencies([checked]) == {"infra"}


def test_an_environment_that_names_itself_means_its_own_units() -> None:
    web = unit("web", "dev/log", values={"host": output("host", "db", "dev")})
    checked = check(DB, unit("log"), web)["web"]
    assert (sorted(checked.needs), list(checked.foreign)) == (["db", "log"], [])


@pytest.mark.parametrize(
    ("consumer", "code"),
    [
        (unit("web", "nobody"), "NYL-DEPENDENCY-UNKNOWN"),
        (unit("web", values={"x": output("host", "nobody")}), "NYL-DEPENDENCY-UNKNOWN"),
        (unit("web", "infra/nobody"), "NYL-DEPENDENCY-UNKNOWN"),
        (unit("web", "nowhere/net"), "NYL-DEPENDENCY-UNKNOWN"),
        (unit("web", values={"x": output("port", "db")}), "NYL-REFERENCE-INVALID"),
        (unit("web", values={"x": output("host", "net", "infra")}), "NYL-REFERENCE-INVALID"),
        (unit("web", values={"x": output("password", "db")}), "NYL-REFERENCE-SENSITIVE"),
        (unit("web", values={"x": output("password", "db", "dev")}), "NYL-REFERENCE-SENSITIVE"),
        (unit("web", command=[output("host", "db")]), "NYL-REFERENCE-INVALID"),
        (unit("web", "web"), "NYL-DEPENDENCY-CYCLE"),
        (unit("web", deletion_policy=DeletionPolicy.TEARDOWN), "NYL-RESOURCE-INVALID"),
        (replace(unit("web"), approval=ApprovalPolicy(ApprovalBinding.PLAN)), "NYL-RESOURCE-INVALID"),
        (replace(unit("web"), approval=ApprovalPolicy(require_digest=True)), "NYL-RESOURCE-INVALID"),
    ],
)
def test_what_cannot_work_is_refused(consumer: RenderedUnit, code: str) -> None:
    assert codes(refused(DB, consumer)) == [code]


def test_the_nearest_unit_is_suggested() -> None:
    assert refused(unit("cache"), unit("web", "cahce")).diagnostics[0].fix == "did you mean cache?"


def test_a_unit_is_not_suggested_to_itself() -> None:
    fix = refused(unit("aab", "aac")).diagnostics[0].fix
    assert "declare unit aac" in str(fix)


def test_an_environment_that_does_not_exist_is_said_and_the_nearest_named() -> None:
    (problem,) = refused(unit("web", values={"x": output("id", "net", "infar")})).diagnostics
    assert "no Environment infar" in problem.message
    assert problem.fix == "did you mean infra?"


def test_everything_wrong_with_the_references_of_a_unit_is_found_at_once() -> None:
    values = {"a": output("nope", "db"), "b": output("password", "db"), "c": {"fromUnit": "db"}, "d": {"fromUnit": {}}}
    error = refused(DB, unit("web", "gone", values=values))
    invalid, unknown = "NYL-REFERENCE-INVALID", "NYL-DEPENDENCY-UNKNOWN"
    assert sorted(codes(error)) == [unknown, invalid, invalid, invalid, "NYL-REFERENCE-SENSITIVE"]


def test_a_cycle_is_told_with_its_whole_path() -> None:
    error = refused(unit("a", values={"x": output("o", "b")}), unit("b", "a", outputs={"o": "string"}))
    assert codes(error) == ["NYL-DEPENDENCY-CYCLE"]
    assert "a → b" in error.diagnostics[0].message
    assert "b → a" in error.diagnostics[0].message


def test_variables_that_the_environment_does_not_admit_are_refused() -> None:
    strict = environment(admission=Admission(passthrough=("AWS_*",), secrets=()))
    asking = replace(unit("web"), passthrough=("AWS_REGION", "HOME"), secrets={"PASSWORD": "db-password"})
    message = refused(asking, where=strict).diagnostics[0].message
    assert ("HOME" in message, "db-password" in message, "AWS_REGION" in message) == (True, True, False)


def test_every_problem_is_found_at_once() -> None:
    error = refused(unit("a", "nobody"), unit("b", values={"x": {"fromUnit": 1}}), unit("c", "c"))
    assert sorted(codes(error)) == ["NYL-DEPENDENCY-CYCLE", "NYL-DEPENDENCY-UNKNOWN", "NYL-REFERENCE-INVALID"]
    assert {each.environment for each in error.diagnostics if each.unit} == {"dev"}


def test_a_kind_that_can_tear_down_may_say_so() -> None:
    with pytest.raises(NylError, match="cannot be torn down"):
        check(unit("web", deletion_policy=DeletionPolicy.TEARDOWN))
    assert check(unit("web", deletion_policy=DeletionPolicy.RETAIN))


def test_an_image_cannot_be_torn_down() -> None:
    problems = Problems()
    spec = {"context": {"path": "web"}, "repository": "registry.example.com/web"}
    image = replace(unit("web", deletion_policy=DeletionPolicy.TEARDOWN), kind="OciImage", spec=spec)
    check_units(environment(), {"web": image}, lambda _: OciImageDriver(), Nameable(INFRA.get), problems)
    (problem,) = problems.diagnostics
    assert "an OciImage like it cannot be torn down" in problem.message


def test_the_secrets_that_a_kind_reads_must_be_admitted() -> None:
    problems = Problems()
    login = {"usernameSecret": "registry-user", "passwordSecret": "registry-password"}
    spec = {"context": {"path": "w"}, "repository": "r.example/w", "registryAuth": {"r.example": login}}
    where = environment(admission=Admission(secrets=("db-*",)))
    image = replace(unit("web"), kind="OciImage", spec=spec)
    check_units(where, {"web": image}, lambda _: OciImageDriver(), Nameable(INFRA.get), problems)
    (problem,) = problems.diagnostics
    assert problem.code is Code.ADMISSION_DENIED
    assert "secret registry-user, secret registry-password" in problem.message
