"""Page Deletion and holds, Explicit teardown: what an operator's request makes of recorded units."""

from dataclasses import replace

import pytest

from nyl.engine.lifecycle import after_removal
from nyl.engine.results import LeavingEffect
from nyl.engine.teardown_decision import TeardownDecision, TeardownStanding
from nyl.engine.teardown_requests import Wish, is_owned, refused, requested
from nyl.state.documents import DesiredUnit
from nyl.state.lifecycles import (
    Deletion,
    DeletionIntent,
    DeletionReason,
    LifecycleState,
    PendingChange,
    TeardownRequested,
)
from tests.engine.builders import HOLD, NOW, S, desired

ASKED = TeardownRequested("alice", NOW, "broken")
NAMED, HELD_AFTER, ALL = Wish(ASKED), Wish(ASKED, hold=True), Wish(ASKED, everything=True)
OMISSION = Deletion(DeletionReason.OMISSION, DeletionIntent.TEARDOWN)

ACTIVE = desired()
HELD = replace(ACTIVE, lifecycle=LifecycleState.HELD, hold=HOLD)
RETAINED = replace(ACTIVE, lifecycle=LifecycleState.RETAINED)
LEFT = replace(ACTIVE, lifecycle=LifecycleState.DELETING, deletion=OMISSION)
KEPT = replace(LEFT, deletion=replace(OMISSION, intent=DeletionIntent.RETAIN))
LEAVING = replace(HELD, hold=replace(HOLD, pending=PendingChange(S, deletion=DeletionReason.OMISSION)))

TEARDOWN, RETAIN = LeavingEffect.TEARDOWN, LeavingEffect.RETAIN


@pytest.mark.parametrize(
    ("document", "wish", "effect", "expected"),
    [
        (ACTIVE, NAMED, TEARDOWN, ("deleting", "replace", "teardown", False)),
        (ACTIVE, NAMED, RETAIN, ("deleting", "replace", "teardown", False)),
        (ACTIVE, HELD_AFTER, TEARDOWN, ("deleting", "replace", "teardown", True)),
        (ACTIVE, ALL, TEARDOWN, ("deleting", "decommission", "teardown", True)),
        (ACTIVE, ALL, RETAIN, ("deleting", "decommission", "retain", True)),
        (RETAINED, NAMED, RETAIN, ("deleting", "teardown", "teardown", False)),
        (RETAINED, ALL, RETAIN, ("deleting", "decommission", "retain", False)),
        (LEFT, NAMED, TEARDOWN, ("deleting", "omission", "teardown", False)),
        (LEFT, ALL, TEARDOWN, ("deleting", "omission", "teardown", False)),
        (KEPT, NAMED, RETAIN, ("deleting", "teardown", "teardown", False)),
        (HELD, NAMED, TEARDOWN, ("held", "replace", "teardown", False)),
        (LEAVING, NAMED, TEARDOWN, ("held", "teardown", "teardown", False)),
    ],
)
def test_a_request_says_why_and_how_a_unit_goes(
    document: DesiredUnit, wish: Wish, effect: LeavingEffect, expected: tuple[str, str, str, bool]
) -> None:
    after = requested(document, wish, effect)
    assert after.deletion is not None
    assert after.deletion.requested == ASKED
    found = (str(after.lifecycle), str(after.deletion.reason), str(after.deletion.intent), after.deletion.hold)
    assert found == expected
    assert after.hold == document.hold


def test_asking_again_does_not_begin_a_teardown_anew() -> None:
    from nyl.engine.lifecycle import in_progress, is_in_progress

    assert is_in_progress(requested(in_progress(LEFT), NAMED, TEARDOWN))


def test_who_asked_first_stays_on_record_and_so_does_the_reason_of_a_hold() -> None:
    again = TeardownRequested("bob", NOW, "looked", confirm_removed=True)
    first = requested(ACTIVE, HELD_AFTER, TEARDOWN)
    after = after_removal(requested(first, Wish(again, hold=True), TEARDOWN))
    assert after is not None
    assert after.hold is not None
    assert (after.hold.by, after.hold.reason) == (ASKED.by, ASKED.reason)
    newly = after_removal(requested(requested(ACTIVE, NAMED, TEARDOWN), Wish(again, hold=True), TEARDOWN))
    assert newly is not None
    assert newly.hold is not None
    assert (newly.hold.by, newly.hold.reason) == ("bob", "looked")


def test_that_somebody_saw_the_removal_stays_true_when_a_teardown_is_asked_for_again() -> None:
    seen = requested(LEFT, Wish(replace(ASKED, confirm_removed=True)), TEARDOWN)
    again = requested(seen, NAMED, TEARDOWN).deletion
    assert again is not None
    assert again.requested == replace(ASKED, confirm_removed=True)


@pytest.mark.parametrize(("wish", "state"), [(NAMED, "active"), (HELD_AFTER, "held"), (ALL, "held")])
def test_a_unit_without_an_incarnation_can_only_be_held(wish: Wish, state: str) -> None:
    document = replace(ACTIVE, unit=replace(ACTIVE.unit, uid=None))
    assert requested(document, wish, TEARDOWN).lifecycle.value == state


@pytest.mark.parametrize(
    ("document", "owned"),
    [(ACTIVE, True), (HELD, True), (LEAVING, False), (LEFT, False), (RETAINED, False)],
)
def test_documents_tell_whether_the_ownership_set_holds_their_unit(document: DesiredUnit, *, owned: bool) -> None:
    assert is_owned(document) is owned


def test_once_it_is_gone_a_unit_that_is_to_be_held_has_a_held_file_without_an_incarnation() -> None:
    left = after_removal(requested(ACTIVE, HELD_AFTER, TEARDOWN))
    assert left is not None
    assert (left.lifecycle, left.unit.uid, left.deletion) == (LifecycleState.HELD, None, None)
    assert left.hold is not None
    assert (left.hold.by, left.hold.reason) == ("alice", "broken")
    assert after_removal(requested(ACTIVE, NAMED, TEARDOWN)) is None


def test_what_waits_for_a_refused_unit_is_refused_with_it() -> None:
    decisions = {
        "top": TeardownDecision(TeardownStanding.HAS_DEPENDENTS, others=("prod/shop",)),
        "middle": TeardownDecision(TeardownStanding.BEHIND, others=("top",)),
        "base": TeardownDecision(TeardownStanding.BEHIND, others=("middle",)),
        "lost": TeardownDecision(TeardownStanding.BROKEN),
        "free": TeardownDecision(TeardownStanding.READY),
        "unready": TeardownDecision(TeardownStanding.UNREADY),
        "later": TeardownDecision(TeardownStanding.WAITING, others=("site",)),
    }
    assert refused(decisions) == {"top", "middle", "base", "lost", "unready"}
