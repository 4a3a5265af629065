"""Runs page, Multi-environment runs: which environments and units an invocation is about."""

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.requests import Selection
from nyl.engine.selection import check_unit_names, order_environments, select_environments, units_by_environment
from tests.engine.builders import environment, group

ENVIRONMENTS = {
    each.name: each
    for each in (
        environment("prod", {"stage": "prod", "zone": "eu"}),
        environment("dev", {"stage": "dev", "zone": "eu"}),
        environment("test", {"stage": "dev", "zone": "us"}),
    )
}
GROUPS = {each.name: each for each in (group("europe", zone="eu"), group("nobody", zone="mars"))}


def selected(**selection: object) -> list[str]:
    wanted = Selection(**selection)  # type: ignore[arg-type]
    return [each.name for each in select_environments(ENVIRONMENTS, GROUPS, wanted)]


def code_of(error: pytest.ExceptionInfo[NylError]) -> Code:
    return error.value.diagnostic.code


@pytest.mark.parametrize(
    ("selection", "names"),
    [
        ({"names": ("test", "dev")}, ["dev", "test"]),
        ({"names": ("dev", "dev")}, ["dev"]),
        ({"labels": {"stage": "dev"}}, ["dev", "test"]),
        ({"labels": {"stage": "dev", "zone": "eu"}}, ["dev"]),
        ({"groups": ("europe",)}, ["dev", "prod"]),
        ({"names": ("test",), "groups": ("europe",)}, ["dev", "prod", "test"]),
    ],
)
def test_names_labels_and_groups_add_up_by_name(selection: dict[str, object], names: list[str]) -> None:
    assert selected(**selection) == names


@pytest.mark.parametrize(
    ("selection", "fix"),
    [
        ({"names": ("dve",)}, "did you mean dev?"),
        ({"names": ("elsewhere",)}, "choose from: dev, prod, test"),
        ({"labels": {"stage": "none"}}, "choose from: dev, prod, test"),
        ({"groups": ("urope",)}, "did you mean europe?"),
        ({"groups": ("nobody",)}, "choose from: dev, prod, test"),
        ({"names": ("dev",), "groups": ("nobody",)}, "choose from: dev, prod, test"),
    ],
)
def test_each_part_of_a_selection_must_match_something(selection: dict[str, object], fix: str) -> None:
    with pytest.raises(NylError) as caught:
        selected(**selection)
    assert code_of(caught) is Code.ENVIRONMENT_UNKNOWN
    assert caught.value.diagnostic.fix == fix


def test_where_no_environment_is_declared_the_fix_makes_the_one_that_was_named() -> None:
    with pytest.raises(NylError) as caught:
        select_environments({}, {}, Selection(names=("dev",)))
    assert caught.value.diagnostic.fix == "declare it with `nyl create environment dev`"


def test_environments_run_producers_first_with_ties_by_name() -> None:
    needs = {"services": {"infra"}, "infra": {"elsewhere"}, "audit": set[str]()}
    assert order_environments(needs) == ("audit", "infra", "services")


def test_a_circle_of_environments_is_refused_with_its_path() -> None:
    with pytest.raises(NylError, match="→") as caught:
        order_environments({"a": {"b"}, "b": {"a"}})
    assert code_of(caught) is Code.DEPENDENCY_CYCLE


@pytest.mark.parametrize(
    ("units", "environments", "expected"),
    [
        ([], ["dev"], None),
        (["db"], ["dev"], {"dev": {"db"}}),
        (["dev/db", "web"], ["dev"], {"dev": {"db", "web"}}),
        (["infra/net"], ["infra", "services"], {"infra": {"net"}, "services": set()}),
    ],
)
def test_unit_options_are_grouped_by_environment(
    units: list[str], environments: list[str], expected: dict[str, set[str]] | None
) -> None:
    assert units_by_environment(units, environments) == expected


@pytest.mark.parametrize(
    ("unit", "environments"),
    [
        ("net", ["infra", "services"]),
        ("prod/net", ["infra", "services"]),
        ("x/db", ["dev"]),
        ("", ["dev"]),
        ("dev/", ["dev"]),
    ],
)
def test_a_unit_option_outside_the_selection_or_without_its_environment_or_unit_is_refused(
    unit: str, environments: list[str]
) -> None:
    with pytest.raises(NylError) as caught:
        units_by_environment([unit], environments)
    assert code_of(caught) is Code.USAGE


def test_a_named_unit_must_exist_and_the_nearest_is_named() -> None:
    check_unit_names("dev", ["db"], ["db", "web"])
    with pytest.raises(NylError) as caught:
        check_unit_names("dev", ["wbe"], ["db", "web"])
    assert code_of(caught) is Code.UNIT_UNKNOWN
    assert caught.value.diagnostic.fix == "did you mean web?"
