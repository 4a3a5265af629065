"""What a run makes of runs that died before it."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from nyl.core.clock import Instant
from nyl.core.codes import Code
from nyl.engine.conclusion import Conclusion
from nyl.engine.results import LeavingEffect
from nyl.engine.takeover import describe_breaks
from nyl.state.coordination_documents import Break, Checkpoint
from nyl.state.documents import Condition, ConditionState, DesiredUnit, ObservedUnit, Work
from nyl.state.lifecycles import LifecycleState
from tests.engine.builders import (
    EARLIER,
    HOLD,
    KEY,
    NOW,
    OTHER_KEY,
    Estate,
    checkpoint,
    codes,
    desired,
    details,
    failed,
    landed,
    observed,
    output,
    receipt,
    results,
    run_ref,
    uncertain,
    unit,
)

BREAK = Break(EARLIER, "Alice Example <alice@example.com>", NOW, "runner was killed")
LATER = Instant.parse("2026-10-25T14:00:00.000000000Z")
OTHER_RUN = "01a1732a-0000-7ed6-a3cc-174dc69c7856"
WAS_AT = f"run {EARLIER} was executing it when its lease was broken"
CONVERGES = {"idempotent": True}


def start(estate: Estate, name: str, key: str | None = None) -> DesiredUnit:
    """The start record of a unit, with the key that it has now unless another is given."""
    return desired(name, key or estate.resolutions()[name].key or KEY)


def completed(document: DesiredUnit, **outputs: str) -> Checkpoint:
    """A receipt for a start record."""
    return checkpoint(observed(document.unit.name, receipt(document.execution_key, outputs=outputs)))


def broken(estate: Estate, *executing: str, **left: Checkpoint) -> Estate:
    """The estate after the lease of a run was broken that started the units with the keys they have now."""
    started = {name: start(estate, name) for name in (*executing, *left)}
    return estate.died(run_ref(started=started, executing=executing, left=left), breaks=[BREAK])


def known(estate: Estate, name: str) -> ObservedUnit:
    return estate.state.observed[name]


def test_a_receipt_with_the_key_of_now_is_imported_and_nothing_runs() -> None:
    estate = Estate(unit("db"))
    conclusion = broken(estate, db=completed(start(estate, "db"))).run()
    assert (results(conclusion), estate.ran, conclusion.imported) == ({"db": "imported"}, [], ("db",))
    assert estate.state.desired["db"].unit.uid == "uid-db"
    assert estate.written.summary["units"] == {
        "db": {"executionKey": estate.resolutions()["db"].key, "result": "imported", "run": EARLIER}
    }


def test_consumers_resolve_from_imported_receipts() -> None:
    estate = Estate(unit("db", outputs={"host": "string"}), unit("app", values={"host": output("host", "db")}))
    broken(estate, db=completed(start(estate, "db"), host="db-1")).run()
    app = estate.state.desired["app"]
    assert (estate.ran, app.resolved_spec["values"]) == (["app"], {"host": "db-1"})
    assert app.provenance["/values/host"].run == EARLIER


def test_a_unit_that_was_executing_is_uncertain_and_waits_where_its_kind_does_not_converge() -> None:
    estate = Estate(unit("db"))
    conclusion = broken(estate, "db").run()
    assert (results(conclusion), details(conclusion), estate.ran) == ({"db": "uncertain"}, {"db": WAS_AT}, [])
    assert known(estate, "db").condition == Condition(
        ConditionState.UNCERTAIN, EARLIER, NOW, WAS_AT, start(estate, "db").execution_key
    )
    assert (conclusion.recovered, conclusion.imported) == (("db",), ())


def test_a_unit_that_was_executing_runs_again_in_the_same_run_where_its_kind_converges() -> None:
    estate = Estate(unit("db", **CONVERGES))
    conclusion = broken(estate, "db").run()
    assert (results(conclusion), estate.ran, conclusion.recovered) == ({"db": "recovered"}, ["db"], ("db",))
    assert known(estate, "db").condition is None
    assert known(estate, "db").unit.uid == "uid-db"


def test_an_uncertain_condition_keeps_the_last_receipt() -> None:
    estate = Estate(unit("db"))
    estate.record(desired(), observed(receipt=receipt(OTHER_KEY)))
    broken(estate, "db").run()
    assert known(estate, "db").receipt == receipt(OTHER_KEY)


def superseded(estate: Estate, left: Mapping[str, Checkpoint]) -> Conclusion:
    """The run after one that had other inputs for the unit db."""
    return estate.died(run_ref(left=left, started={"db": start(estate, "db", OTHER_KEY)})).run()


def test_a_receipt_for_other_inputs_leaves_the_unit_uncertain_and_is_kept_as_evidence() -> None:
    estate = Estate(unit("db"))
    conclusion = superseded(estate, {"db": completed(start(estate, "db", OTHER_KEY))})
    assert (results(conclusion), estate.ran) == ({"db": "uncertain"}, [])
    assert "NYL-RUN-SUPERSEDED" in codes(conclusion.section(landed(), ()).diagnostics)
    assert estate.state.desired["db"].execution_key == OTHER_KEY
    assert estate.written.consumes.retired == {EARLIER}


def test_a_receipt_for_other_inputs_of_a_converging_unit_needs_no_evidence_once_it_ran_again() -> None:
    estate = Estate(unit("db", **CONVERGES))
    conclusion = superseded(estate, {"db": completed(start(estate, "db", OTHER_KEY))})
    assert (results(conclusion), estate.ran) == ({"db": "recovered"}, ["db"])
    assert (estate.written.consumes.runs, estate.written.consumes.retired) == ({EARLIER}, frozenset())


def test_a_retryable_failure_with_other_inputs_is_dropped_and_its_incarnation_kept() -> None:
    estate = Estate(unit("db"))
    failure = checkpoint(observed(condition=failed(retryable=True, key=OTHER_KEY)))
    conclusion = superseded(estate, {"db": failure})
    assert results(conclusion) == {"db": "executed"}
    assert estate.state.desired["db"].unit.uid == "uid-db"
    assert "NYL-RUN-SUPERSEDED" in codes(conclusion.section(landed(), ()).diagnostics)


def test_a_failure_that_waits_becomes_the_condition_of_the_unit() -> None:
    estate = Estate(unit("db"))
    conclusion = broken(estate, db=checkpoint(observed(condition=failed()))).run()
    assert (results(conclusion), estate.ran) == ({"db": "failed"}, [])
    assert known(estate, "db").condition == failed()


def test_a_retryable_failure_runs_again() -> None:
    estate = Estate(unit("db"))
    key = start(estate, "db").execution_key
    conclusion = broken(estate, db=checkpoint(observed(condition=failed(retryable=True, key=key)))).run()
    assert results(conclusion) == {"db": "executed"}


def test_a_receipt_of_a_unit_that_is_blocked_now_is_imported_as_it_was_recorded() -> None:
    estate = Estate(unit("db"), unit("app", "db"))
    started = {"db": start(estate, "db"), "app": desired("app", OTHER_KEY)}
    left = {"app": completed(started["app"])}
    estate.died(run_ref(started=started, executing=["db"], left=left), breaks=[BREAK])
    conclusion = estate.run()
    assert results(conclusion) == {"db": "uncertain", "app": "blocked"}
    assert conclusion.imported == ("app",)
    assert known(estate, "app").receipt == receipt(OTHER_KEY)


def test_what_a_dead_run_left_is_written_and_shown_whatever_units_are_named() -> None:
    estate = Estate(unit("db"), unit("app"), unit("web"))
    broken(estate, "app", db=completed(start(estate, "db")))
    conclusion = estate.run(only=frozenset({"web"}))
    shown = {each.unit: str(each.verdict) for each in conclusion.shown}
    assert shown == {"web": "executed", "db": "imported", "app": "uncertain"}
    assert estate.state.observed.keys() == {"web", "db", "app"}


def test_what_was_left_of_units_that_source_dropped_is_told_whatever_units_are_named() -> None:
    estate = Estate(unit("web"))
    started = {name: desired(name) for name in ("app", "db")}
    left = {"db": checkpoint(observed("db", receipt()))}
    conclusion = estate.died(run_ref(started=started, executing=["app"], left=left), breaks=[BREAK]).run(
        only=frozenset()
    )
    assert {each.unit: str(each.verdict) for each in conclusion.shown} == {"app": "uncertain", "db": "imported"}
    assert estate.written.headline == "nyl: reconcile dev (1 imported, 1 uncertain)"
    assert estate.written.summary["units"] == {
        "app": {"reason": WAS_AT, "result": "uncertain"},
        "db": {"executionKey": KEY, "result": "imported", "run": EARLIER},
    }


REMOVABLE = {"command": ["./cache.sh"], "teardown": ["./cache.sh"]}


def test_a_unit_that_a_dead_run_created_and_source_dropped_leaves_in_its_first_run() -> None:
    estate = Estate(unit("web"))
    started = {"cache": desired("cache", resolved_spec=REMOVABLE), "lost": desired("lost")}
    left = {name: checkpoint(observed(name, receipt())) for name in started}
    section = estate.died(run_ref(started=started, left=left)).run().section(landed(), ())
    assert [(each.unit, each.effect) for each in section.leaving] == [
        ("cache", LeavingEffect.TEARDOWN),
        ("lost", LeavingEffect.RELEASE),
    ]


def test_a_unit_that_a_dead_run_tore_down_has_left() -> None:
    estate = Estate(unit("web")).record(desired("cache", resolved_spec=REMOVABLE), observed("cache", receipt()))
    removed = Checkpoint(observed("cache", receipt()), work=Work.TEARDOWN, removed=True)
    conclusion = estate.died(run_ref(started={"cache": desired("cache")}, left={"cache": removed})).run()
    assert (results(conclusion), conclusion.leaving) == ({"web": "executed", "cache": "removed"}, ())


def test_the_approvals_that_a_dead_run_started_units_with_are_told_with_what_it_left() -> None:
    estate = Estate(unit("db"), unit("web")).record(desired("cache", resolved_spec=REMOVABLE), observed("cache"))
    documents = {"cache": desired("cache"), "db": start(estate, "db"), "web": start(estate, "web")}
    removed = Checkpoint(observed("cache"), work=Work.TEARDOWN, removed=True)
    dead = run_ref(started=documents, executing=["web"], left={"cache": removed, "db": completed(documents["db"])})
    approvals = {name: {"by": ["alice"], "digest": name} for name in (*documents, "withdrawn")}
    conclusion = estate.died(replace(dead, record=replace(dead.record, approvals=approvals))).run()
    assert results(conclusion) == {"cache": "removed", "db": "imported", "web": "uncertain"}
    assert estate.written.summary["approvals"] == {name: approvals[name] for name in documents}


def test_a_converging_unit_that_is_not_named_stays_uncertain() -> None:
    estate = Estate(unit("db", **CONVERGES), unit("web"))
    conclusion = broken(estate, "db").run(only=frozenset({"web"}))
    assert results(conclusion) == {"web": "executed", "db": "uncertain"}
    assert known(estate, "db").condition is not None


def test_a_late_receipt_of_an_uncertain_unit_changes_nothing_and_is_kept_as_evidence() -> None:
    estate = Estate(unit("db"))
    document = start(estate, "db")
    estate.record(document, observed(condition=uncertain(document.execution_key)))
    estate.newer = {EARLIER: frozenset({"db"})}
    conclusion = estate.died(run_ref(started={"db": document}, left={"db": completed(document)})).run()
    assert (results(conclusion), estate.written.empty) == ({"db": "uncertain"}, True)
    assert "NYL-RUN-LATE-CHECKPOINT" in codes(conclusion.section(landed(), ()).diagnostics)
    assert (estate.written.consumes.runs, estate.written.consumes.retired) == ({EARLIER}, {EARLIER})


def test_late_checkpoints_of_several_runs_are_all_told_and_kept() -> None:
    estate = Estate(unit("db"))
    document = start(estate, "db")
    estate.record(document, observed(condition=uncertain(document.execution_key)))
    estate.newer = {EARLIER: frozenset({"db"}), OTHER_RUN: frozenset({"db"})}
    late = [run_ref(run, started={"db": document}, left={"db": completed(document)}) for run in (EARLIER, OTHER_RUN)]
    conclusion = estate.died(*late).run()
    told = [each for each in conclusion.section(landed(), ()).diagnostics if each.code is Code.RUN_LATE_CHECKPOINT]
    assert [run for run in (EARLIER, OTHER_RUN) for each in told if f"--accept {run}" in each.fix] == [
        EARLIER,
        OTHER_RUN,
    ]
    assert estate.written.consumes.retired == {EARLIER, OTHER_RUN}


def test_a_late_checkpoint_is_no_news_where_a_later_run_settled_the_unit() -> None:
    estate = Estate(unit("db"))
    document = start(estate, "db")
    estate.record(document, observed(condition=uncertain(document.execution_key)))
    estate.newer = {OTHER_RUN: frozenset({"db"})}
    left = [run_ref(run, started={"db": document}, left={"db": completed(document)}) for run in (EARLIER, OTHER_RUN)]
    conclusion = estate.died(*left).run()
    assert results(conclusion) == {"db": "imported"}
    assert "NYL-RUN-LATE-CHECKPOINT" not in codes(conclusion.section(landed(), ()).diagnostics)
    assert estate.written.consumes.retired == frozenset()


def test_a_newer_result_is_not_overwritten() -> None:
    estate = Estate(unit("db"))
    estate.run()
    before = estate.state
    estate.newer = {EARLIER: frozenset({"db"})}
    conclusion = broken(estate, db=completed(start(estate, "db"))).run()
    assert (results(conclusion), conclusion.imported) == ({"db": "current"}, ())
    assert estate.state.observed == before.observed
    assert estate.written.consumes.retired == frozenset()


def test_a_hold_that_was_sent_to_a_dead_run_holds_what_that_run_did() -> None:
    estate = Estate(unit("db"), unit("app", "db"))
    broken(estate, db=completed(start(estate, "db", OTHER_KEY)))
    estate.state = replace(estate.state, dead_holds={"db": HOLD})
    conclusion = estate.run()
    assert results(conclusion) == {"app": "executed", "db": "held"}
    assert estate.state.desired["db"].lifecycle is LifecycleState.HELD
    assert known(estate, "db").receipt == receipt(OTHER_KEY)


def test_a_break_is_recorded_even_where_nothing_was_left() -> None:
    estate = Estate(unit("db"))
    estate.run()
    estate.breaks = (BREAK,)
    conclusion = estate.run()
    assert estate.written.announces
    told = {"at": NOW.iso(), "by": BREAK.by, "reason": "runner was killed"}
    assert (estate.written.summary["leaseBroken"], conclusion.section(landed(), ()).details) == (
        told,
        {"leaseBroken": told},
    )


def test_a_unit_that_a_later_dead_run_recovered_is_told_as_recovered() -> None:
    estate = Estate(unit("db", **CONVERGES))
    document = start(estate, "db")
    first = run_ref(OTHER_RUN, started={"db": document}, executing=("db",))
    second = run_ref(started={"db": document}, left={"db": completed(document)}, after=(OTHER_RUN,))
    conclusion = estate.died(first, second).run()
    assert (results(conclusion), estate.ran) == ({"db": "imported"}, [])
    assert (conclusion.imported, conclusion.recovered) == (("db",), ("db",))


def test_a_unit_that_a_dead_run_tore_down_is_created_by_the_run_after_its_import() -> None:
    estate = Estate(unit("db"))
    estate.run()
    removed = Checkpoint(known(estate, "db"), work=Work.TEARDOWN, removed=True)
    estate.ran.clear()
    conclusion = estate.died(run_ref(started={"db": start(estate, "db")}, left={"db": removed})).run()
    assert (results(conclusion), estate.ran, estate.state.desired) == ({"db": "removed"}, [], {})
    assert (results(estate.died().run()), estate.ran) == ({"db": "executed"}, ["db"])


def test_of_several_breaks_the_last_is_told_first() -> None:
    earlier = Break(OTHER_RUN, "Bob <bob@example.com>", NOW, "no answer")
    last = replace(BREAK, at=LATER)
    assert describe_breaks([earlier, last]) == {
        "leaseBroken": {
            "at": LATER.iso(),
            "by": last.by,
            "reason": last.reason,
            "earlier": [{"at": NOW.iso(), "by": earlier.by, "reason": "no answer"}],
        }
    }


@pytest.mark.parametrize(("condition", "goes"), [(uncertain(), False), (failed(), True), (None, True)])
def test_evidence_goes_once_no_uncertain_unit_needs_it(condition: Condition | None, goes: bool) -> None:
    estate = Estate(unit("db"))
    estate.record(desired(), observed(condition=condition))
    evidence = {EARLIER: run_ref(left={"db": checkpoint(observed(receipt=receipt()))})}
    estate.state = replace(estate.state, evidence=evidence)
    estate.run()
    assert estate.written.consumes.evidence == ({EARLIER} if goes else frozenset())
