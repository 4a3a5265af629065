"""Page Deletion and holds: deletions of whole runs over a state in memory."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from nyl.core.cancellation import CancellationToken
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.exits import Exit
from nyl.engine.authorization import Authorization
from nyl.engine.lifecycle import in_progress
from nyl.engine.outcomes import AnyOutcome, RunOutcome
from nyl.engine.recording import RunFacts
from nyl.engine.results import LeavingEffect, Result
from nyl.engine.teardown_permissions import Permissions
from nyl.engine.teardown_requests import Wish, requested
from nyl.project.units import RenderedUnit
from nyl.state.changes import Batch, Landed
from nyl.state.coordination_documents import Checkpoint
from nyl.state.documents import TeardownWait, Work
from nyl.state.lifecycles import (
    Deletion,
    DeletionIntent,
    DeletionReason,
    LifecycleState,
    PendingChange,
    TeardownProgress,
    TeardownRequested,
)
from nyl.units.outcomes import AwaitingApproval, Removed, Succeeded, Uncertain, Waiting
from tests.engine.builders import (
    BREAKS,
    EARLIER,
    HOLD,
    KEY,
    NOW,
    OTHER_KEY,
    RUN,
    Desk,
    Estate,
    S,
    codes,
    desired,
    details,
    observed,
    output,
    receipt,
    results,
    run_ref,
    uncertain,
    unit,
)

ALLOWED = Permissions(allow_teardown=True)


def removable(name: str, *needs: str, **spec: object) -> RenderedUnit:
    named = {"dependsOn": list(needs)} if needs else {}
    return unit(name, *needs, teardown=[f"./{name}.sh", "remove"], **named, **spec)  # type: ignore[arg-type]


def left(*units: RenderedUnit, stay: tuple[RenderedUnit, ...] = ()) -> Estate:
    """Units that ran and that source no longer declares."""
    estate = Estate(*units, *stay)
    estate.run()
    return estate.declare(*stay)


def chain() -> Estate:
    """`base` is read by `middle`, and that by `top`."""
    return left(
        removable("base", outputs={"x": "string"}),
        removable("middle", values={"x": output("x", "base")}, outputs={"y": "string"}),
        removable("top", values={"y": output("y", "middle")}),
    )


def test_nothing_is_torn_down_without_permission_and_a_second_run_writes_nothing() -> None:
    estate = chain()
    assert set(results(estate.run()).values()) == {"pending-teardown"}
    assert estate.ran == []
    estate.run()
    assert estate.written.empty


def test_consumers_are_torn_down_before_their_producers_in_one_run() -> None:
    estate = chain()
    ended = estate.run(permissions=ALLOWED)
    assert estate.ran == ["-top", "-middle", "-base"]
    assert [each.unit for each in ended.shown] == ["top", "middle", "base"]
    assert (estate.state.desired, estate.state.observed) == ({}, {})
    assert ended.section(Landed(None, None), ()).exit is Exit.OK


def test_each_start_is_recorded_as_in_progress_before_the_teardown_runs() -> None:
    estate = left(removable("a"))
    estate.run(permissions=ALLOWED)
    started = estate.desk.batches[0].starting["a"]
    assert started.deletion is not None
    assert (started.lifecycle, started.deletion.teardown) == (LifecycleState.DELETING, TeardownProgress.IN_PROGRESS)
    checkpoint = estate.desk.batches[-1].checkpoints["a"]
    assert (checkpoint.work, checkpoint.removed) == (Work.TEARDOWN, True)


def test_a_hold_that_arrives_between_batches_stops_the_unit_and_what_it_depends_on() -> None:
    estate = chain()
    ended = estate.run(permissions=ALLOWED, desk=Desk(holds={2: {"middle": HOLD}}))
    assert estate.ran == ["-top"]
    assert results(ended) == {"top": "removed", "middle": "held", "base": "pending-teardown"}
    document = estate.state.desired["middle"]
    assert (document.lifecycle, document.hold) == (LifecycleState.HELD, replace(HOLD, before=LifecycleState.DELETING))
    assert document.deletion is not None
    assert document.deletion.teardown is TeardownProgress.PENDING


def careful() -> Estate:
    """A unit with manual approval that left, its producer, and one that is free to go."""
    estate = left(removable("base"), removable("careful", "base"), removable("free"))
    document = estate.state.desired["careful"]
    return estate.record(replace(document, resolved_spec={**document.resolved_spec, "approval": "manual"}))


def incarnation(estate: Estate, name: str, digest: str | None = None) -> dict[str, Authorization]:
    document = estate.state.desired[name]
    return {name: Authorization(document.execution_key, digest, document.unit.uid)}


def test_a_teardown_of_a_unit_with_manual_approval_waits_for_it_and_others_go_on() -> None:
    estate = careful()
    ended = estate.run(permissions=ALLOWED)
    assert results(ended) == {"careful": "pending-teardown", "free": "removed", "base": "pending-teardown"}
    assert estate.ran == ["-free"]
    section = ended.section(Landed(None, None), ())
    (waits,) = [each for each in section.diagnostics if "waits for an approval" in each.message]
    assert waits.code is Code.TEARDOWN_PENDING
    assert "`nyl reconcile -e dev --allow-teardown --approve careful`" in waits.fix
    assert section.exit is Exit.WAITING


def test_an_approved_teardown_starts() -> None:
    estate = careful()
    ended = estate.run(permissions=replace(ALLOWED, approved=incarnation(estate, "careful")))
    assert set(results(ended).values()) == {"removed"}
    assert estate.ran.index("-careful") < estate.ran.index("-base")


def test_both_permissions_that_a_teardown_lacks_are_named() -> None:
    section = careful().run().section(Landed(None, None), ())
    (waits,) = [each for each in section.diagnostics if each.unit == "careful"]
    assert "--allow-teardown and --approve careful" in waits.fix


def test_a_teardown_that_would_change_something_else_did_not_begin() -> None:
    estate = careful()
    approved = incarnation(estate, "careful", KEY)
    ended = estate.run({"careful": AwaitingApproval(OTHER_KEY)}, permissions=replace(ALLOWED, approved=approved))
    assert results(ended) == {"free": "removed", "careful": "pending-teardown", "base": "pending-teardown"}
    document = estate.state.desired["careful"]
    assert document.deletion is not None
    assert document.deletion.teardown is TeardownProgress.PENDING
    assert estate.state.observed["careful"].teardown is None
    assert f"--approve careful={OTHER_KEY}" in str(ended.section(Landed(None, None), ()).diagnostics)


def test_with_fail_fast_nothing_is_torn_down_after_a_wait_for_an_approval() -> None:
    estate = careful()
    ended = estate.run(permissions=replace(ALLOWED, stops_at_waits=True))
    assert (estate.ran, set(results(ended).values())) == ([], {"pending-teardown"})


def test_a_bad_end_keeps_what_the_unit_depends_on_and_lets_others_go() -> None:
    estate = left(removable("base"), removable("top", "base"), removable("free"))
    ended = estate.run({"top": BREAKS}, permissions=ALLOWED)
    assert results(ended) == {"top": "failed", "free": "removed", "base": "pending-teardown"}
    assert "NYL-TEARDOWN-PENDING" in codes(ended.section(Landed(None, None), ()).diagnostics)
    kept = estate.state.observed["top"]
    assert kept.receipt is not None
    assert kept.condition is not None
    assert kept.condition.work is Work.TEARDOWN


def test_fail_fast_starts_no_further_teardown() -> None:
    estate = left(removable("a"), removable("b"))
    ended = estate.run({"a": BREAKS}, permissions=ALLOWED, concurrency=1, fail_fast=True)
    assert results(ended) == {"a": "failed", "b": "pending-teardown"}
    assert details(ended)["b"] == "--fail-fast stopped the run after a"


def test_an_uncertain_teardown_waits_for_an_operator_unless_its_kind_converges() -> None:
    estate = left(removable("a"), unit("b", teardown={"command": ["./b.sh"], "idempotent": True}))
    gone = {"a": Uncertain("it was killed"), "b": Uncertain("it was killed")}
    estate.run(gone, permissions=ALLOWED)
    again = estate.run()
    assert (results(again), estate.ran) == ({"a": "uncertain", "b": "removed"}, ["-b"])


def test_a_teardown_that_waits_goes_on_with_its_progress_and_without_permission() -> None:
    estate = left(removable("base"), removable("site", "base"))
    first = estate.run({"site": Waiting("the workloads are there", {"phase": 1})}, permissions=ALLOWED)
    assert results(first) == {"site": "tearing-down", "base": "pending-teardown"}
    assert "NYL-TEARDOWN-WAITING" in codes(first.section(Landed(None, None), ()).diagnostics)
    estate.run()
    assert estate.orders["site"].progress == {"phase": 1}


def test_what_waits_behind_a_wait_names_the_unit_that_waits_however_far_it_is() -> None:
    estate = left(removable("base"), removable("middle", "base"), removable("site", "middle"))
    ended = estate.run({"site": Waiting("the workloads are there")}, permissions=ALLOWED)
    assert details(ended) == {
        "site": "the workloads are there",
        "middle": "waits for the teardown of site",
        "base": "waits for the teardown of site",
    }


def test_a_wait_that_may_go_on_at_once_goes_on_with_what_was_recorded_of_it() -> None:
    estate, outcomes = left(removable("site")), dict[str, AnyOutcome]()
    outcomes["site"] = Waiting("published", {"phase": 1}, again=True)

    def next_time(batch: Batch) -> None:
        if "site" in batch.checkpoints:
            outcomes["site"] = Removed(confirmed="2 Applications are gone")

    ended = estate.run(outcomes, permissions=ALLOWED, desk=Desk(on_push=next_time))
    assert (results(ended), estate.ran) == ({"site": "removed"}, ["-site", "-site"])
    assert estate.orders["site"].progress == {"phase": 1}
    assert estate.written.summary["confirmedRemoval"] == {"site": "2 Applications are gone"}


def test_a_wait_that_comes_no_further_is_left_for_the_next_run() -> None:
    estate = left(removable("site"))
    ended = estate.run({"site": Waiting("published", {"phase": 1}, again=True)}, permissions=ALLOWED)
    assert (results(ended), estate.ran) == ({"site": "tearing-down"}, ["-site", "-site"])
    later = estate.run({"site": Waiting("published", {"phase": 1})})
    assert (results(later), estate.written.empty) == ({"site": "tearing-down"}, True)


def test_a_hold_that_arrives_meanwhile_keeps_it_where_it_is_with_its_wait() -> None:
    estate = left(removable("site"))
    again = {"site": Waiting("published", {"phase": 1}, again=True)}
    ended = estate.run(again, permissions=ALLOWED, desk=Desk(holds={1: {"site": HOLD}}))
    assert (results(ended), estate.ran) == ({"site": "held"}, ["-site"])
    wait = estate.state.observed["site"].teardown
    assert wait is not None
    assert wait.progress == {"phase": 1}
    deletion = estate.state.desired["site"].deletion
    assert deletion is not None
    assert deletion.teardown is TeardownProgress.IN_PROGRESS


def unready() -> Estate:
    """A unit that left, whose kind said that its teardown could not complete, and its producer."""
    estate = left(removable("base"), removable("site", "base"))
    return estate.record(replace(estate.state.desired["site"], readiness=("its group orphans workloads",)))


def test_a_teardown_that_could_not_complete_does_not_start_unless_an_operator_accepts_that() -> None:
    estate = unready()
    ended = estate.run(permissions=ALLOWED)
    assert (results(ended), estate.ran) == ({"site": "pending-teardown", "base": "pending-teardown"}, [])
    section = ended.section(Landed(None, None), ())
    (told,) = (each for each in section.diagnostics if each.code is Code.TEARDOWN_INCOMPLETE)
    assert (told.unit, section.exit) == ("site", Exit.WAITING)
    assert "its group orphans workloads" in told.message
    assert "--allow-incomplete" in told.fix
    accepted = estate.run(permissions=replace(ALLOWED, allow_incomplete=True))
    assert results(accepted) == {"site": "removed", "base": "removed"}
    assert estate.written.summary["incomplete"] == {"site": "its group orphans workloads"}


def test_a_wait_that_was_started_incomplete_goes_on_without_the_option_and_stays_on_record() -> None:
    estate = unready()
    estate.run({"site": Waiting("published")}, permissions=replace(ALLOWED, allow_incomplete=True))
    again = estate.run({"site": Removed(confirmed="seen")}, permissions=ALLOWED)
    assert results(again) == {"site": "removed", "base": "removed"}
    assert estate.written.summary["incomplete"] == {"site": "its group orphans workloads"}


def test_a_producer_is_kept_only_once_its_deleting_consumers_are_gone() -> None:
    estate = left(removable("base", deletionPolicy="Retain"), removable("top", "base"))
    assert results(estate.run()) == {"top": "pending-teardown", "base": "pending-teardown"}
    assert estate.state.desired["base"].lifecycle is LifecycleState.DELETING
    assert results(estate.run(permissions=ALLOWED)) == {"top": "removed", "base": "retained"}
    assert estate.state.desired["base"].deletion is None


def test_what_uses_a_unit_from_another_environment_is_overridden_only_on_request() -> None:
    estate = left(removable("a"))
    estate.users["a"] = ("prod/shop",)
    refused = estate.run(permissions=ALLOWED)
    assert (results(refused), estate.ran) == ({"a": "pending-teardown"}, [])
    assert results(estate.run(permissions=replace(ALLOWED, allow_dependents=True))) == {"a": "removed"}
    assert estate.written.summary["allowDependents"] == {"a": ["prod/shop"]}


def test_a_unit_whose_files_are_missing_is_an_error_of_its_own() -> None:
    estate = left(removable("a"), removable("b"))
    estate.missing["a"] = NylError(Code.SOURCE_MISSING, "There is no such commit.", "push it")
    ended = estate.run(permissions=ALLOWED)
    assert (results(ended), estate.ran) == ({"b": "removed", "a": "pending-teardown"}, ["-b"])
    section = ended.section(Landed(None, None), ())
    assert section.exit is Exit.ERROR
    assert "--source <revision>" in next(each.fix for each in section.diagnostics if each.code is Code.SOURCE_MISSING)


def test_after_a_cancel_no_teardown_starts() -> None:
    estate, token = left(removable("a")), CancellationToken()
    token.cancel()
    ended = estate.run(permissions=ALLOWED, cancellation=token)
    assert Result.REMOVED not in {each.verdict for each in ended.shown}


def test_a_held_unit_that_leaves_is_reported_as_held_with_a_pending_deletion() -> None:
    estate = Estate(removable("a"))
    estate.run()
    estate.hold("a").declare()
    assert results(estate.run(permissions=ALLOWED)) == {"a": "held"}
    hold = estate.state.desired["a"].hold
    assert hold is not None
    assert hold.pending is not None
    assert hold.pending.deletion == "omission"
    estate.run(permissions=ALLOWED)
    assert (estate.ran, estate.written.empty) == ([], True)


def test_a_held_unit_that_leaves_names_the_source_commit_and_a_teardown_that_was_asked_for() -> None:
    estate = Estate(removable("a"))
    estate.run()
    estate.hold("a").declare()
    assert details(estate.run()) == {"a": f"a deletion waits at {S}"}
    asked = Wish(TeardownRequested("alice", NOW, "broken"))
    estate.record(requested(estate.state.desired["a"], asked, LeavingEffect.TEARDOWN))
    assert details(estate.run()) == {"a": "a teardown that alice requested waits"}


def test_a_look_at_a_held_unit_that_leaves_tells_of_the_deletion_and_no_more_of_the_change_that_waited() -> None:
    estate = Estate(removable("a"))
    estate.run()
    estate.hold("a").declare()
    held = estate.state.desired["a"]
    assert held.hold is not None
    estate.record(replace(held, hold=replace(held.hold, pending=PendingChange("e" * 40, OTHER_KEY))))
    assert stands(estate) == {"a": ("held", f"a deletion waits at {S}")}


def test_a_recorded_word_that_the_removal_was_seen_counts_in_the_run_that_carries_the_teardown_out() -> None:
    estate = left(removable("a"))
    estate.run()
    asked = Wish(TeardownRequested("alice", NOW, "broken", confirm_removed=True))
    estate.record(requested(estate.state.desired["a"], asked, LeavingEffect.TEARDOWN))
    assert results(estate.run()) == {"a": "removed"}
    assert estate.orders["a"].confirm_removed
    assert estate.written.summary["confirmedRemoval"] == {"a": "confirmed by alice"}


def stands(estate: Estate, running: Mapping[str, str] | None = None) -> dict[str, tuple[str, str]]:
    """How status shows the units that are on their way out, while a live run works on those that are `running`."""
    lifecycle = estate.lifecycle(RunFacts("dev", RUN, S, S, S), ALLOWED, lambda *_: Removed(), deletes=True)
    ledger = estate.ledger()
    lifecycle.settle(ledger)
    lifecycle.agenda(ledger).decide()
    found = lifecycle.deletions(ledger, RunOutcome()).states(running or {}, {})
    return {name: (str(each.verdict), each.detail) for name, each in found.items()}


def test_status_shows_a_unit_that_a_live_run_tears_down_as_running_though_the_state_has_it_active() -> None:
    assert stands(left(removable("a"), removable("b")), {"a": RUN})["a"] == ("running", "teardown (omission)")


@pytest.mark.parametrize("deletion", [None, Deletion(DeletionReason.OMISSION, DeletionIntent.TEARDOWN)])
@pytest.mark.parametrize("safe", [False, True])
def test_status_shows_a_unit_that_leaves_as_uncertain_while_it_is(deletion: Deletion | None, *, safe: bool) -> None:
    lifecycle = LifecycleState.DELETING if deletion else LifecycleState.ACTIVE
    spec = {"command": ["true"], "teardown": ["true"], "idempotent": safe}
    document = desired("a", lifecycle=lifecycle, deletion=deletion, resolved_spec=spec)
    estate = Estate().record(document, observed("a", receipt(), uncertain()))
    assert stands(estate) == {"a": ("uncertain", "it was killed")}


def test_a_tombstone_that_returns_with_other_inputs_runs_as_a_change_of_the_same_incarnation() -> None:
    estate = left(unit("a", deletionPolicy="Retain"))
    estate.run()
    before = estate.state.desired["a"]
    changed = unit("a", command=["./other.sh"], deletionPolicy="Retain")
    assert results(estate.declare(changed).run()) == {"a": "executed"}
    after = estate.state.desired["a"]
    assert (after.unit.uid, after.lifecycle) == (before.unit.uid, LifecycleState.ACTIVE)
    assert after.execution_key != before.execution_key


def test_a_tombstone_that_reads_what_changes_with_every_creation_runs_again_once_its_producer_is_recreated() -> None:
    base = removable("base", outputs={"id": "string"})
    top = unit("top", values={"id": output("id", "base")}, deletionPolicy="Retain")
    estate = left(base, top)
    estate.run(permissions=replace(ALLOWED, allow_dependents=True))
    before = estate.state.desired["top"].unit.uid
    ended = estate.declare(base, top).run({"base": Succeeded({"id": "another"})})
    assert results(ended) == {"base": "executed", "top": "executed"}
    assert estate.state.desired["top"].unit.uid == before


def test_a_tombstone_of_another_kind_is_dropped_and_the_commit_tells_what_it_left() -> None:
    document = desired("a", lifecycle=LifecycleState.RETAINED)
    tombstone = replace(document, unit=replace(document.unit, kind="Probe"))
    known = replace(observed("a", receipt()), unit=tombstone.unit)
    estate = Estate(unit("a")).record(tombstone, known)
    ended = estate.run()
    assert results(ended) == {"a": "executed"}
    assert estate.state.desired["a"].unit.uid != tombstone.unit.uid
    assert estate.written.summary["released"] == {"a": {"kind": "Probe", "run": EARLIER, "uid": "uid-a"}}
    assert "NYL-UNIT-RELEASED" in codes(ended.section(Landed(None, None), ()).diagnostics)


def test_a_file_without_an_incarnation_of_another_kind_gives_way_to_the_unit_that_is_created() -> None:
    document = desired("a")
    held_once = replace(document, unit=replace(document.unit, uid=None, api_version="unknown", kind="Unknown"))
    estate = Estate(unit("a", outputs={"x": "string"}), unit("b", values={"x": output("x", "a")})).record(held_once)
    assert results(estate.run()) == {"a": "executed", "b": "executed"}
    assert estate.state.observed["a"].receipt is not None
    assert estate.state.desired["a"].unit.kind == "Command"


def test_a_unit_whose_removal_a_dead_run_completed_is_created_by_the_next_run_with_a_new_uid() -> None:
    estate = Estate(removable("a"))
    estate.run()
    before = estate.state.desired["a"]
    asked = TeardownRequested("alice", NOW, "broken")
    replaced = requested(before, Wish(asked), LeavingEffect.TEARDOWN)
    gone = Checkpoint(estate.state.observed["a"], work=Work.TEARDOWN, removed=True)
    estate.died(run_ref(left={"a": gone}, started={"a": replaced}))
    assert results(estate.run()) == {"a": "removed"}
    assert results(estate.died().run()) == {"a": "executed"}
    assert estate.state.desired["a"].unit.uid != before.unit.uid
    assert estate.state.observed["a"].unit.uid == estate.state.desired["a"].unit.uid


def test_what_a_dead_run_recorded_of_a_removal_is_told_by_the_run_that_takes_over() -> None:
    estate = left(removable("a"))
    estate.run()
    gone = Checkpoint(
        estate.state.observed["a"], work=Work.TEARDOWN, removed=True, incomplete="a bucket", confirmed="observed"
    )
    estate.died(run_ref(left={"a": gone}, started={"a": estate.state.desired["a"]}))
    ended = estate.run()
    assert estate.written.summary["incomplete"] == {"a": "a bucket"}
    assert estate.written.summary["confirmedRemoval"] == {"a": "observed"}
    assert "NYL-TEARDOWN-INCOMPLETE" in codes(ended.section(Landed(None, None), ()).diagnostics)


def test_a_run_that_died_while_a_wait_went_on_leaves_what_it_had_recorded_of_it() -> None:
    estate = left(removable("site"))
    estate.run()
    started = in_progress(estate.state.desired["site"])
    waited = replace(estate.state.observed["site"], teardown=TeardownWait(EARLIER, NOW, "published", {"phase": 1}))
    recorded = {"site": Checkpoint(waited, work=Work.TEARDOWN)}
    estate.died(run_ref(left=recorded, started={"site": started}, executing=("site",)))
    assert results(estate.run()) == {"site": "uncertain"}
    wait = estate.state.observed["site"].teardown
    assert wait is not None
    assert wait.progress == {"phase": 1}


def test_a_held_tombstone_protects_its_producer_like_any_other_and_is_reported_as_held() -> None:
    estate = left(
        removable("base", outputs={"x": "string"}),
        unit("top", values={"x": output("x", "base")}, deletionPolicy="Retain"),
    )
    estate.run()
    tombstone = estate.state.desired["top"]
    hold = replace(HOLD, before=LifecycleState.RETAINED)
    estate.record(replace(tombstone, lifecycle=LifecycleState.HELD, hold=hold))
    assert results(estate.run(permissions=ALLOWED)) == {"base": "pending-teardown", "top": "held"}
    assert results(estate.run(permissions=replace(ALLOWED, allow_dependents=True)))["base"] == "removed"


def test_a_run_of_named_units_begins_no_deletion() -> None:
    stays = unit("stays")
    estate = left(removable("a"), stay=(stays,))
    estate.run(only=frozenset({"stays"}))
    assert estate.written.empty
    assert estate.state.desired["a"].lifecycle is LifecycleState.ACTIVE


def test_named_units_that_return_are_written_and_others_that_return_are_not() -> None:
    a, b = removable("a"), removable("b")
    estate = left(a, b)
    estate.run()
    ended = estate.declare(a, b).run(only=frozenset({"a"}))
    assert {each.unit: str(each.verdict) for each in ended.shown} == {"a": "current"}
    states = {name: each.lifecycle for name, each in estate.state.desired.items()}
    assert states == {"a": LifecycleState.ACTIVE, "b": LifecycleState.DELETING}
