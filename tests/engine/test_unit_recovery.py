"""What an operator's decision about a unit changes, and what is refused."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from nyl.core.diagnostics import NylError
from nyl.engine.evidence import evidence_of
from nyl.engine.unit_recovery import accept, retry
from nyl.state.coordination_documents import Checkpoint
from nyl.state.documents import Condition, TeardownWait, Work
from nyl.state.lifecycles import LifecycleState
from nyl.state.snapshot import StateSnapshot
from tests.engine.builders import (
    EARLIER,
    HOLD,
    KEY,
    NOW,
    OTHER_KEY,
    RUN,
    checkpoint,
    desired,
    failed,
    identity,
    observed,
    receipt,
    run_ref,
    snapshot,
    uncertain,
)

COMPLETED = checkpoint(observed(receipt=receipt()), plan={"size": 3})
HELD = desired(lifecycle=LifecycleState.HELD, hold=HOLD)
OF_ANOTHER = replace(COMPLETED, observed=replace(COMPLETED.observed, unit=replace(identity("db"), uid="uid-other")))


def known(
    condition: Condition | None, *, left: Mapping[str, Checkpoint] | None = None, held: bool = False
) -> StateSnapshot:
    """A state that knows one unit, and evidence of runs about it."""
    evidence = {run: run_ref(run, left={"db": each}) for run, each in (left or {}).items()}
    document = HELD if held else desired()
    return snapshot((document, observed(receipt=receipt(OTHER_KEY), condition=condition)), evidence=evidence)


@pytest.mark.parametrize(
    "condition", [uncertain(), failed(), failed(retryable=True), replace(uncertain(), work=Work.TEARDOWN)]
)
def test_a_retry_clears_the_condition_and_keeps_the_last_receipt(condition: Condition) -> None:
    change = retry(known(condition), "db", "checked")
    assert change.observed == {"db": observed(receipt=receipt(OTHER_KEY))}
    assert change.desired == {}
    assert change.summary["units"] == {"db": {"result": "retry", "reason": "checked"}}


def test_a_retry_of_a_unit_without_a_receipt_leaves_nothing_observed() -> None:
    change = retry(snapshot((desired(), observed(condition=uncertain()))), "db", "checked")
    assert change.observed == {"db": None}


def test_a_retry_of_a_teardown_goes_on_where_it_was() -> None:
    wait = TeardownWait(EARLIER, NOW, "still there")
    change = retry(snapshot((desired(), observed(condition=failed(), teardown=wait))), "db", "checked")
    assert change.observed == {"db": observed(teardown=wait)}


def test_a_held_unit_stays_held_when_its_condition_is_cleared() -> None:
    change = retry(known(uncertain(), held=True), "db", "checked")
    assert (change.desired, change.observed["db"]) == ({}, observed(receipt=receipt(OTHER_KEY)))


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        (uncertain(), {"reason": "it was killed", "run": EARLIER, "since": NOW.iso(), "state": "uncertain"}),
        (
            failed(),
            {
                "reason": "exit code 1",
                "run": EARLIER,
                "since": NOW.iso(),
                "state": "failed",
                "category": "execution",
                "retryable": False,
            },
        ),
    ],
)
def test_a_report_tells_the_condition_that_was_settled(condition: Condition, told: dict[str, object]) -> None:
    change = retry(known(condition), "db", "checked")
    assert change.details == {"condition": told, "evidence": []}


def test_accepting_makes_a_checkpoint_with_its_artifacts_the_receipt() -> None:
    change = accept(known(uncertain(), left={EARLIER: COMPLETED}), "db", EARLIER, "it is there")
    assert change.observed == {"db": observed(receipt=receipt())}
    assert change.artifacts == {"db": {"plan": {"size": 3}}}
    assert change.consumes.evidence == {EARLIER}
    assert change.summary["units"] == {
        "db": {"executionKey": KEY, "result": "accepted", "run": EARLIER, "reason": "it is there"}
    }


def test_evidence_lists_every_checkpoint_newest_run_first() -> None:
    broke = checkpoint(observed(condition=failed()))
    found = evidence_of("db", known(uncertain(), left={EARLIER: COMPLETED, RUN: broke}))
    assert [(each.run, each.adoptable, each.described()["result"]) for each in found] == [
        (RUN, False, "failed"),
        (EARLIER, True, "executed"),
    ]


@pytest.mark.parametrize(
    ("state", "run", "says"),
    [
        pytest.param(known(None, left={EARLIER: COMPLETED}), EARLIER, "nothing to recover", id="no condition"),
        pytest.param(known(uncertain()), EARLIER, "no checkpoint of unit db by run", id="no evidence"),
        pytest.param(known(uncertain(), left={EARLIER: COMPLETED}), RUN, EARLIER, id="another run"),
        pytest.param(
            known(uncertain(), left={EARLIER: COMPLETED}, held=True), EARLIER, "is held", id="a unit that is held"
        ),
        pytest.param(
            known(uncertain(), left={EARLIER: checkpoint(observed(condition=failed()))}),
            EARLIER,
            "it is no receipt",
            id="a failure",
        ),
        pytest.param(
            known(uncertain(), left={EARLIER: checkpoint(observed(receipt=receipt(OTHER_KEY)))}),
            EARLIER,
            "its execution key",
            id="a receipt for other inputs",
        ),
        pytest.param(
            known(uncertain(), left={EARLIER: OF_ANOTHER}), EARLIER, "its uid", id="a receipt of another incarnation"
        ),
    ],
)
def test_what_cannot_be_accepted_is_refused_and_told_why(state: StateSnapshot, run: str, says: str) -> None:
    with pytest.raises(NylError) as refused:
        accept(state, "db", run, "it is there")
    assert (refused.value.diagnostic.code.value, says in refused.value.diagnostic.message) == (
        "NYL-RECOVER-REFUSED",
        True,
    )


def test_a_unit_without_a_condition_has_nothing_to_retry() -> None:
    with pytest.raises(NylError, match="neither uncertain nor failed"):
        retry(known(None), "db", "checked")


def test_a_unit_that_the_state_does_not_know_is_named_with_its_neighbour() -> None:
    with pytest.raises(NylError) as refused:
        retry(known(uncertain()), "dbs", "checked")
    assert (refused.value.diagnostic.code.value, refused.value.diagnostic.fix) == (
        "NYL-UNIT-UNKNOWN",
        "did you mean db?",
    )
