"""Spec of which units state forget drops."""

from dataclasses import replace

import pytest

from nyl.core.codes import Code
from nyl.engine.forgetting import forgetting
from nyl.engine.holds import held
from nyl.state.documents import DesiredUnit
from nyl.state.lifecycles import (
    Deletion,
    DeletionIntent,
    DeletionReason,
    LifecycleState,
    TeardownProgress,
)
from tests.engine.builders import HOLD, RUN, checkpoint, desired, observed, receipt, run_ref, snapshot, uncertain
from tests.engine.projects import refusal


def deleting(reason: DeletionReason, progress: TeardownProgress = TeardownProgress.PENDING) -> DesiredUnit:
    deletion = Deletion(reason, DeletionIntent.TEARDOWN, progress)
    return desired(lifecycle=LifecycleState.DELETING, deletion=deletion)


TOMBSTONE = desired(lifecycle=LifecycleState.RETAINED)
DROPPED = {
    "a tombstone": TOMBSTONE,
    "a pending teardown": deleting(DeletionReason.OMISSION),
    "the old incarnation of a kind change": deleting(DeletionReason.KIND_CHANGE),
    "a teardown that an operator asked for": deleting(DeletionReason.TEARDOWN),
}
KEPT = {
    "active": (desired(), "nyl teardown -e dev --unit db"),
    "held": (held(TOMBSTONE, HOLD), "nyl resume -e dev --unit db"),
    "tearing down": (
        deleting(DeletionReason.OMISSION, TeardownProgress.IN_PROGRESS),
        "nyl recover -e dev --unit db --retry",
    ),
}


@pytest.mark.parametrize("case", DROPPED)
def test_all_files_of_these_units_go_and_their_resources_are_named(case: str) -> None:
    change = forgetting(snapshot((DROPPED[case], observed(receipt=receipt()))), ["db"])
    assert (change.desired, change.observed) == ({"db": None}, {"db": None})
    assert [(each.code, each.unit) for each in change.diagnostics] == [(Code.UNIT_RELEASED, "db")]


@pytest.mark.parametrize("case", KEPT)
def test_any_other_unit_is_refused_with_the_way_to_go(case: str) -> None:
    document, way = KEPT[case]
    state = snapshot((document, observed(receipt=receipt())))
    message = refusal(lambda: forgetting(state, ["db"]), Code.STATE_IN_USE)
    assert "Unit db of dev is " in message
    with pytest.raises(Exception) as caught:
        forgetting(state, ["db"])
    assert way in caught.value.diagnostic.fix  # type: ignore[attr-defined]


def test_nothing_is_dropped_when_one_of_several_units_stays() -> None:
    other = replace(desired("other"), lifecycle=LifecycleState.ACTIVE)
    state = snapshot((TOMBSTONE, None), (other, observed("other")))
    refusal(lambda: forgetting(state, ["db", "other"]), Code.STATE_IN_USE)


def test_a_unit_without_observed_document_goes_too() -> None:
    assert forgetting(snapshot((TOMBSTONE, None)), ["db"]).observed == {}


def test_an_unknown_unit_is_refused() -> None:
    assert "has no unit d" in refusal(lambda: forgetting(snapshot((TOMBSTONE, None)), ["d"]), Code.UNIT_UNKNOWN)


def test_evidence_that_only_a_forgotten_unit_needed_goes_with_it() -> None:
    late = run_ref(left={"db": checkpoint(observed(receipt=receipt()))})
    document = DROPPED["a pending teardown"]
    state = snapshot((document, observed(condition=uncertain())), evidence={RUN: late})
    assert forgetting(state, ["db"]).consumes.evidence == {RUN}
