"""Runs page, Multi-environment runs."""

from pathlib import Path

import pytest

from tests.support import declarations
from tests.support.copies import copied
from tests.support.declarations import from_unit
from tests.support.world import World


@pytest.fixture
def landscape(tmp_path: Path) -> World:
    """`services` needs an output of `infra`; `zoo` stands alone. Labels and a group select the first two."""
    return copied(tmp_path, _landscape)


def _landscape(world: World) -> World:
    for name in ("infra", "services", "zoo"):
        stage = "play" if name == "zoo" else "production"
        world.environment(name, {"stage": stage}, unitSelector={"matchLabels": {"env": name}})
    world.unit("network", labels={"env": "infra"}, writes={"id": "net-1"})
    world.unit("api", labels={"env": "services"}, values={"network": from_unit("network", "id", "infra")})
    world.unit("web", labels={"env": "services"})
    world.unit("lion", labels={"env": "zoo"})
    group = {"environmentSelector": {"matchLabels": {"stage": "production"}}}
    world.write("group.yaml", declarations.resource("gitops.nyl/v1", "EnvironmentGroup", "production", group))
    return world.initialise("infra", "services", "zoo")


BOTH = ("-e", "services", "-e", "infra")


@pytest.mark.parametrize("selection", [BOTH, ("-l", "stage=production"), ("-g", "production")])
def test_environments_run_in_dependency_order_however_they_are_selected(
    landscape: World, selection: tuple[str, ...]
) -> None:
    ended = landscape.reconcile(*selection)
    assert ended.json["environmentOrder"] == ["infra", "services"]
    assert ended.verdicts("services") == {"api": "executed", "web": "executed"}
    assert landscape.ran()[0] == "network"


def test_ties_run_by_name(landscape: World) -> None:
    assert landscape.reconcile("-e", "zoo", "-e", "infra").json["environmentOrder"] == ["infra", "zoo"]


def test_each_environment_writes_its_own_transition(landscape: World) -> None:
    landscape.reconcile(*BOTH)
    assert landscape.message(environment="infra").startswith("nyl: reconcile infra (1 executed)")
    assert landscape.message(environment="services").startswith("nyl: reconcile services (2 executed)")


def test_provenance_records_the_producers_observed_commit(landscape: World) -> None:
    landscape.reconcile(*BOTH)
    desired = landscape.stored("desired/units/api.yaml", "desired", "services")
    assert landscape.state(environment="infra") in str(desired["provenance"])


def test_a_consumer_whose_producer_has_no_receipt_waits(landscape: World) -> None:
    ended = landscape.reconcile("-e", "services", exits=2)
    assert ended.verdicts("services") == {"api": "blocked", "web": "executed"}


def test_references_outside_the_selection_read_existing_state(landscape: World) -> None:
    landscape.reconcile("-e", "infra")
    assert landscape.reconcile("-e", "services").verdicts("services")["api"] == "executed"


def test_depends_on_reaches_across_environments(landscape: World) -> None:
    landscape.unit("web", labels={"env": "services"}, dependsOn=[{"environment": "infra", "unit": "network"}]).commit()
    assert landscape.reconcile("-e", "services", exits=2).verdicts("services")["web"] == "blocked"
    assert landscape.reconcile(*BOTH).verdicts("services")["web"] == "executed"


def test_a_failed_producer_makes_its_consumers_wait_instead_of_using_old_receipts(landscape: World) -> None:
    landscape.reconcile(*BOTH)
    landscape.unit("network", labels={"env": "infra"}, writes={"id": "net-2"}, script="exit 1")
    landscape.unit("api", labels={"env": "services"}, values={"network": from_unit("network", "id", "infra"), "new": 1})
    landscape.unit("web", labels={"env": "services"}, values={"new": 1}).commit()
    ended = landscape.reconcile(*BOTH, exits=3)
    assert ended.verdicts("infra") == {"network": "failed"}
    assert ended.verdicts("services") == {"api": "blocked", "web": "executed"}


def test_every_selected_environment_runs_and_the_most_severe_exit_wins(landscape: World) -> None:
    landscape.unit("network", labels={"env": "infra"}, writes={"id": "x"}, script="exit 1").commit()
    ended = landscape.reconcile(*BOTH, "-e", "zoo", exits=3)
    exits = {name: section["exit"] for name, section in ended.json["environments"].items()}
    assert exits == {"infra": 3, "services": 2, "zoo": 0}


def test_an_environment_without_state_does_not_hide_the_others(landscape: World) -> None:
    landscape.environment("later", unitSelector={"matchLabels": {"env": "zoo"}}).commit()
    ended = landscape.reconcile("-e", "later", "-e", "zoo", exits=1)
    assert ended.verdicts("zoo") == {"lion": "executed"}
    assert "NYL-STATE-MISSING" in ended.codes


@pytest.mark.parametrize("chosen", [(), ("-e", "services")], ids=["whole project", "one of them"])
def test_a_cycle_of_environments_fails_validation(landscape: World, chosen: tuple[str, ...]) -> None:
    landscape.unit(
        "network", labels={"env": "infra"}, writes={"id": "x"}, dependsOn=[{"environment": "services", "unit": "web"}]
    )
    landscape.commit()
    assert "NYL-DEPENDENCY-CYCLE" in landscape.report("validate", *chosen, exits=1).codes


def test_a_reference_to_an_environment_that_does_not_select_the_unit_is_unknown(landscape: World) -> None:
    landscape.unit("web", labels={"env": "services"}, dependsOn=[{"environment": "zoo", "unit": "network"}]).commit()
    assert "NYL-DEPENDENCY-UNKNOWN" in landscape.report("validate", exits=1).codes


def test_units_are_named_with_their_environment(landscape: World) -> None:
    landscape.reconcile(*BOTH, "--unit", "infra/network", "--unit", "services/web", exits=None)
    assert sorted(landscape.ran()) == ["network", "web"]


@pytest.mark.parametrize("unit", ["network", "zoo/lion"])
def test_unqualified_units_and_those_outside_the_selection_fail(landscape: World, unit: str) -> None:
    refused = landscape.reconcile(*BOTH, "--unit", unit, exits=1)
    assert refused.codes & {"NYL-USAGE", "NYL-UNIT-UNKNOWN", "NYL-ENVIRONMENT-UNKNOWN"}
    assert landscape.ran() == []


def test_source_takes_exactly_one_environment(landscape: World) -> None:
    assert "NYL-USAGE" in landscape.reconcile(*BOTH, "--source", "main", exits=1).codes


@pytest.mark.parametrize("selection", [("-e", "nowhere"), ("-l", "stage=none"), ("-g", "nobody")])
def test_a_selection_that_matches_nothing_is_an_error(landscape: World, selection: tuple[str, str]) -> None:
    assert "NYL-ENVIRONMENT-UNKNOWN" in landscape.reconcile(*selection, exits=1).codes


def test_planning_reads_receipts_rather_than_previews(landscape: World) -> None:
    landscape.reconcile(*BOTH)
    landscape.unit("network", labels={"env": "infra"}, writes={"id": "net-2"}).commit()
    planned = landscape.plan(*BOTH, exits=2)
    assert planned.verdicts("infra") == {"network": "execute"}
    assert planned.verdicts("services")["api"] == "blocked"
    assert "infra/network" in str(planned.unit("api", "services"))


def test_a_planned_change_of_a_producer_is_named_even_when_unit_hides_it(landscape: World) -> None:
    landscape.reconcile(*BOTH)
    landscape.unit("network", labels={"env": "infra"}, writes={"id": "net-2"}).commit()
    planned = landscape.plan(*BOTH, "--unit", "services/api", exits=2)
    assert "infra/network" in str(planned.unit("api", "services"))


def test_the_text_has_a_heading_for_each_environment(landscape: World) -> None:
    shown = landscape.nyl("reconcile", *BOTH).stdout
    assert shown.index("infra") < shown.index("network") < shown.index("services") < shown.index("api")


def test_status_without_selection_shows_every_environment(landscape: World) -> None:
    landscape.reconcile(*BOTH)
    shown = landscape.nyl("status", exits=2).stdout
    assert all(name in shown for name in ("infra", "services", "zoo"))
