"""Spec of what holds make of desired documents, and of what they record of source meanwhile."""

from dataclasses import replace

import pytest

from nyl.engine.holds import Declared, Wanted, held, held_from_nothing, held_without_incarnation, resumed, with_pending
from nyl.state.documents import DesiredUnit
from nyl.state.lifecycles import (
    Deletion,
    DeletionIntent,
    DeletionReason,
    Hold,
    LifecycleState,
    PendingChange,
    TeardownProgress,
)
from tests.engine.builders import API, DESIRED, HOLD, KEY, NOW, OTHER_KEY, S, desired

COMMAND = (API, "Command")
OTHER_KIND = (API, "OpenTofu")
LATER = DESIRED
OMISSION = Deletion(DeletionReason.OMISSION, DeletionIntent.TEARDOWN)
STARTED = replace(OMISSION, teardown=TeardownProgress.IN_PROGRESS)

ACTIVE = desired()
PENDING_TEARDOWN = desired(lifecycle=LifecycleState.DELETING, deletion=OMISSION)
TEARING_DOWN = desired(lifecycle=LifecycleState.DELETING, deletion=STARTED)
TOMBSTONE = desired(lifecycle=LifecycleState.RETAINED)
EVERY_STATE = pytest.mark.parametrize("document", [ACTIVE, PENDING_TEARDOWN, TEARING_DOWN, TOMBSTONE])


@EVERY_STATE
def test_a_unit_in_any_state_is_held_where_it_is(document: DesiredUnit) -> None:
    after = held(document, HOLD)
    assert after.lifecycle is LifecycleState.HELD
    assert after.hold == replace(HOLD, before=document.lifecycle)
    assert replace(after, lifecycle=document.lifecycle, hold=None) == document


@EVERY_STATE
def test_a_resume_returns_a_unit_to_where_it_was(document: DesiredUnit) -> None:
    assert resumed(held(document, HOLD)) == document


@EVERY_STATE
def test_holding_again_and_resuming_what_is_not_held_change_nothing(document: DesiredUnit) -> None:
    once = held(document, HOLD)
    assert held(once, Hold("bob", NOW, "again")) is once
    assert resumed(document) is document


@pytest.mark.parametrize("document", [ACTIVE, TOMBSTONE])
def test_a_teardown_that_was_requested_meanwhile_goes_on_after_the_resume(document: DesiredUnit) -> None:
    after = resumed(replace(held(document, HOLD), deletion=OMISSION))
    assert (after.lifecycle, after.deletion, after.hold) == (LifecycleState.DELETING, OMISSION, None)


def test_a_unit_without_an_incarnation_is_held_without_uid_and_key() -> None:
    document = held_from_nothing("dev", "new", HOLD, Declared(S, {"new": COMMAND}))
    assert (document.unit.uid, document.execution_key, document.lifecycle) == (None, "", LifecycleState.HELD)
    assert (document.unit.api_version, document.unit.kind) == COMMAND
    assert resumed(document).lifecycle is LifecycleState.ACTIVE


def test_the_kind_of_a_unit_that_nobody_declares_is_unknown() -> None:
    assert held_from_nothing("dev", "typo", HOLD, Declared(S, {})).unit.kind == "Unknown"


HELD = held(ACTIVE, HOLD)
NOT_CREATED = held_without_incarnation(ACTIVE, HOLD)
WAITING = {
    "the same key": (HELD, Wanted(S, COMMAND, KEY), None),
    "another key": (HELD, Wanted(S, COMMAND, OTHER_KEY), PendingChange(S, OTHER_KEY)),
    "another kind": (HELD, Wanted(S, OTHER_KIND, OTHER_KEY), PendingChange(S, deletion=DeletionReason.KIND_CHANGE)),
    "it left": (HELD, Wanted(S, None, None), PendingChange(S, deletion=DeletionReason.OMISSION)),
    "a tombstone that stays one": (held(TOMBSTONE, HOLD), Wanted(S, None, None), None),
    "a deletion that stays one": (held(PENDING_TEARDOWN, HOLD), Wanted(S, None, None), None),
    "an unknown key": (HELD, Wanted(S, COMMAND, None), None),
    "a creation": (NOT_CREATED, Wanted(S, COMMAND, KEY), PendingChange(S, KEY)),
    "a creation as another kind": (NOT_CREATED, Wanted(S, OTHER_KIND, KEY), PendingChange(S, KEY)),
    "a creation with an unknown key": (NOT_CREATED, Wanted(S, COMMAND, None), None),
    "no creation": (NOT_CREATED, Wanted(S, None, None), None),
}


@pytest.mark.parametrize("case", WAITING)
def test_a_held_unit_records_what_source_would_change(case: str) -> None:
    document, wanted, pending = WAITING[case]
    after = with_pending(document, wanted)
    assert after.hold is not None
    assert after.hold.pending == pending
    assert replace(after, hold=document.hold) == document


@pytest.mark.parametrize("case", WAITING)
def test_the_same_change_at_a_later_commit_changes_nothing(case: str) -> None:
    document, wanted, _ = WAITING[case]
    once = with_pending(document, wanted)
    assert with_pending(once, replace(wanted, source_commit=LATER)) is once


def test_a_change_that_was_reverted_no_longer_waits() -> None:
    changed = with_pending(HELD, Wanted(S, COMMAND, OTHER_KEY))
    assert with_pending(changed, Wanted(LATER, COMMAND, KEY)) == HELD


def test_a_key_that_is_not_known_leaves_what_was_recorded() -> None:
    changed = with_pending(HELD, Wanted(S, COMMAND, OTHER_KEY))
    assert with_pending(changed, Wanted(LATER, COMMAND, None)) is changed


def test_nothing_is_recorded_of_a_unit_that_is_not_held() -> None:
    assert with_pending(ACTIVE, Wanted(S, None, None)) is ACTIVE
