"""Runs page, References between units: every unit against current receipts, with blocked chains and held units."""

from dataclasses import replace
from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.authorization import Authorization
from nyl.engine.production import Production
from nyl.project.units import UnitAddress
from nyl.state.coordination_documents import Checkpoint
from nyl.state.documents import InputRecord
from nyl.state.lifecycles import LifecycleState
from nyl.units.outcomes import Succeeded
from tests.engine.builders import (
    BREAKS,
    BREAKS_FOR_NOW,
    HOLD,
    OBSERVED,
    RUN,
    VANISHES,
    Estate,
    artifact,
    desired,
    failed,
    identity,
    observed,
    output,
    provenance,
    receipt,
    uncertain,
    unit,
)

DB = unit("db", outputs={"host": "string"})
WEB = unit("web", values={"host": output("host", "db")}, outputs={"url": "string"})
CDN = unit("cdn", values={"url": output("url", "web")})
OTHER = unit("other")


def chain() -> Estate:
    """A database, the web server that needs its host, the cache before that, and something else."""
    return Estate(DB, WEB, CDN, OTHER)


def settled() -> Estate:
    """The same after a run."""
    estate = chain()
    estate.run()
    return estate


def resized() -> Any:
    """The database, declared with other inputs."""
    return replace(DB, spec={**DB.spec, "command": ["./db.sh", "large"]})


def test_without_receipts_producers_are_ready_and_their_consumers_blocked() -> None:
    assert chain().standings() == {"db": "ready", "web": "blocked", "cdn": "blocked", "other": "ready"}


def test_a_blocked_unit_says_what_it_waits_for_and_has_no_key() -> None:
    resolutions = chain().resolutions()
    assert resolutions["web"].decision.reason == "db has no current receipt"
    assert resolutions["cdn"].decision.reason == "web is blocked"
    assert (resolutions["web"].key, resolutions["web"].resolved_spec) == (None, None)


def test_all_that_a_unit_waits_for_is_told() -> None:
    estate = Estate(unit("a"), unit("b"), unit("c", "b", "a", "infra/net"), others={"infra": {"net": unit("net")}})
    reason = estate.resolutions()["c"].decision.reason
    assert reason == "a has no current receipt; b has no current receipt; infra/net has no receipt yet"


def test_after_a_run_everything_is_current() -> None:
    assert set(settled().standings().values()) == {"current"}


def test_a_consumer_of_a_producer_that_is_not_current_is_blocked_its_own_receipt_notwithstanding() -> None:
    estate = settled().declare(resized(), WEB, CDN, OTHER)
    assert estate.standings() == {"db": "ready", "web": "blocked", "cdn": "blocked", "other": "current"}


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        (failed(), "db failed"),
        (failed(retryable=True), "db has no current receipt"),
        (uncertain(), "db is uncertain"),
    ],
)
def test_a_condition_blocks_consumers_whatever_the_receipt(condition: Any, reason: str) -> None:
    estate = settled()
    estate.record(replace(estate.state.observed["db"], condition=condition))
    assert estate.resolutions()["web"].decision.reason == reason


def test_references_get_values_and_provenance() -> None:
    resolution = settled().resolutions()["web"]
    assert resolution.resolved_spec is not None
    assert resolution.resolved_spec["values"] == {"host": "host-of-db"}
    source = resolution.provenance["/values/host"]
    assert (source.unit, source.observed_commit, source.run) == ("db", OBSERVED, None)


def test_within_a_run_provenance_names_the_run() -> None:
    estate = chain()
    estate.run()
    source = estate.written.observed["web"].receipt
    assert source is not None
    assert (source.provenance["/values/host"].run, source.provenance["/values/host"].observed_commit) == (RUN, None)


def test_the_spec_as_written_stays_as_it_is() -> None:
    estate = settled()
    assert estate.state.desired["web"].spec["values"] == {"host": output("host", "db")}


def test_a_producer_with_other_outputs_makes_its_consumer_ready() -> None:
    estate = settled()
    before = estate.state.observed["db"]
    assert before.receipt is not None
    estate.record(replace(before, receipt=replace(before.receipt, outputs={"host": "db-2"})))
    assert estate.standings() == {"db": "current", "web": "ready", "cdn": "blocked", "other": "current"}


def test_a_producer_that_was_recreated_with_the_same_outputs_leaves_its_consumer_current() -> None:
    estate = settled()
    again = replace(estate.state.desired["db"].unit, uid="another")
    estate.record(replace(estate.state.desired["db"], unit=again), replace(estate.state.observed["db"], unit=again))
    assert estate.standings()["web"] == "current"


def test_a_value_that_the_receipt_does_not_hold_blocks_with_an_error() -> None:
    estate = Estate(unit("db"), unit("web", values={"x": artifact("plan", "db", "/x")}))
    estate.run()
    resolution = estate.resolutions()["web"]
    assert (resolution.standing.value, resolution.key) == ("blocked", None)
    assert resolution.error is not None
    assert (resolution.error.diagnostic.code, resolution.error.diagnostic.unit) == (Code.VALUE_UNRESOLVED, "web")


def test_an_artifact_of_an_earlier_run_is_read_from_the_state() -> None:
    estate = Estate(unit("db"), unit("web", values={"x": artifact("plan", "db", "/x")}))
    estate.run({"db": Succeeded(artifacts={"plan": {"x": 7}})})
    spec = estate.resolutions()["web"].resolved_spec
    assert spec is not None
    assert spec["values"] == {"x": 7}


def test_a_failing_fingerprint_blocks_its_unit_alone() -> None:
    def inputs(unit: Any, spec: Any) -> InputRecord:
        if unit.name == "db":
            raise NylError(Code.FINGERPRINT_FAILED, "it did not end", "run it by hand")
        return InputRecord()

    estate = Estate(DB, WEB, OTHER, inputs=inputs)
    resolutions = estate.resolutions()
    assert estate.standings() == {"db": "blocked", "web": "blocked", "other": "ready"}
    assert resolutions["db"].error is not None
    assert resolutions["web"].error is None


def test_without_fingerprints_a_unit_with_a_receipt_is_not_evaluated() -> None:
    estate = settled()
    estate.inputs = lambda unit, spec: None if unit.name == "db" else InputRecord()
    resolution = estate.resolutions()["db"]
    assert (resolution.standing.value, resolution.decision.reason, resolution.key) == ("ready", "not evaluated", None)


def test_a_unit_of_another_environment_is_read_through_its_state() -> None:
    def foreign(address: UnitAddress) -> Production:
        return Production(receipt(outputs={"id": "n-1"}), provenance("net", environment="infra"), lambda *_: {})

    net = {"infra": {"net": unit("net", outputs={"id": "string"})}}
    estate = Estate(unit("web", values={"id": output("id", "net", "infra")}), foreign=foreign, others=net)
    resolution = estate.resolutions()["web"]
    assert resolution.standing.value == "ready"
    assert resolution.provenance["/values/id"].environment == "infra"


def test_a_held_unit_lets_consumers_read_what_runs() -> None:
    estate = settled().hold("db").declare(resized(), WEB, CDN, OTHER)
    assert estate.standings() == {"db": "held", "web": "current", "cdn": "current", "other": "current"}
    assert estate.resolutions()["db"].decision.reason == "a change waits"


def test_a_held_unit_whose_inputs_are_the_same_has_no_change_waiting() -> None:
    assert settled().hold("db").resolutions()["db"].decision.reason == ""


def test_a_held_unit_without_a_receipt_blocks_its_consumers() -> None:
    estate = chain().record(desired("db")).hold("db")
    assert estate.resolutions()["web"].decision.reason == "db is held and has no receipt"


def test_a_held_unit_whose_producer_is_not_current_stays_readable() -> None:
    estate = settled().hold("web").declare(resized(), WEB, CDN, OTHER)
    assert estate.standings() == {"db": "ready", "web": "held", "cdn": "current", "other": "current"}
    assert estate.resolutions()["web"].decision.reason == "db has no current receipt"


def test_a_hold_that_was_sent_to_the_run_counts_as_one_that_is_recorded() -> None:
    estate = chain()
    ledger = estate.ledger()
    ledger.holds["db"] = HOLD
    assert estate.resolver(ledger).resolutions["db"].standing.value == "held"


def test_only_what_a_change_touches_is_resolved_again() -> None:
    asked: list[str] = []

    def inputs(unit: Any, spec: Any) -> InputRecord:
        asked.append(unit.name)
        return InputRecord()

    estate = chain()
    estate.run()
    estate.inputs = inputs
    resolver = estate.resolver()
    asked.clear()
    resolver.renew(["web"])
    assert asked == ["web", "cdn"]


@pytest.mark.parametrize("outcome", [BREAKS, BREAKS_FOR_NOW, VANISHES])
def test_a_consumer_never_reads_past_a_failed_producer_within_a_run(outcome: Any) -> None:
    estate = chain()
    estate.run({"db": outcome})
    assert estate.ran == ["db", "other"]
    assert "web" not in estate.state.desired


def test_a_newer_reading_of_the_state_is_resolved_from_the_start() -> None:
    estate = chain()
    resolver = estate.resolver()
    key = resolver.resolutions["db"].key
    assert key is not None
    document = desired("db", key)
    estate.record(document, observed("db", receipt(key, outputs={"host": "h"})))
    resolver.rebase(estate.ledger())
    assert resolver.resolutions["web"].standing.value == "ready"


def test_a_unit_of_another_kind_waits_for_the_former_incarnation_to_go() -> None:
    former = desired("db", unit=replace(identity("db"), kind="Terraform"))
    resolution = Estate(DB).record(former, observed("db")).resolutions()["db"]
    assert (resolution.standing.value, resolution.key) == ("blocked", None)
    assert "a Terraform, is still recorded" in resolution.decision.reason


def test_a_unit_waits_for_an_incarnation_of_its_name_that_is_being_deleted() -> None:
    estate = Estate(DB).record(desired("db", lifecycle=LifecycleState.DELETING), observed("db"))
    assert estate.standings() == {"db": "blocked"}


def test_an_approval_is_of_the_key_that_the_unit_has_at_first() -> None:
    web = unit("web", values={"host": output("host", "db")}, approval="manual")
    estate = Estate(DB, web)
    estate.run()
    resolver = estate.resolver()
    key = resolver.resolutions["web"].key
    assert key is not None
    resolver.approve({"web": Authorization(key)})
    assert resolver.ready(None) == ["web"]
    moved = estate.state.observed["db"]
    assert moved.receipt is not None
    again = replace(moved, receipt=replace(moved.receipt, outputs={"host": "another"}))
    resolver.ledger.results["db"] = Checkpoint(again)
    resolver.renew(["db"])
    assert resolver.resolutions["web"].key != key
    assert resolver.awaiting(None) == ["web"]
    assert "when the run began" in resolver.resolutions["web"].decision.reason
