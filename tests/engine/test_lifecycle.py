"""Page Deletion and holds: the transition table, row by row."""

from dataclasses import replace

import pytest

from nyl.core.clock import Instant
from nyl.engine.lifecycle import Change, is_permitted, settle
from nyl.engine.results import LeavingEffect
from nyl.state.documents import DesiredUnit
from nyl.state.lifecycles import (
    Deletion,
    DeletionIntent,
    DeletionReason,
    LifecycleState,
    TeardownProgress,
    TeardownRequested,
)
from tests.engine.builders import API, HOLD, desired

SAME = (API, "Command")
OTHER = (API, "Probe")
LATER = ("units.gitops.nyl/v9", "Command")
ASKED = TeardownRequested("alice", Instant.parse("2026-09-24T12:00:00Z"), "decommission")

ACTIVE = desired()
WITHOUT_UID = replace(ACTIVE, unit=replace(ACTIVE.unit, uid=None))
RETAINED = replace(ACTIVE, lifecycle=LifecycleState.RETAINED)
HELD = replace(ACTIVE, lifecycle=LifecycleState.HELD, hold=HOLD)


def deleting(
    reason: DeletionReason,
    teardown: TeardownProgress = TeardownProgress.PENDING,
    requested: TeardownRequested | None = None,
) -> DesiredUnit:
    deletion = Deletion(reason, DeletionIntent.TEARDOWN, teardown, requested)
    return replace(ACTIVE, lifecycle=LifecycleState.DELETING, deletion=deletion)


OMITTED = deleting(DeletionReason.OMISSION)
KIND_CHANGED = deleting(DeletionReason.KIND_CHANGE)
STARTED = deleting(DeletionReason.OMISSION, TeardownProgress.IN_PROGRESS)
REQUESTED = deleting(DeletionReason.TEARDOWN, requested=ASKED)
REPLACED = deleting(DeletionReason.REPLACE, requested=ASKED)


@pytest.mark.parametrize(
    ("document", "owned", "change", "after"),
    [
        (ACTIVE, SAME, Change.KEPT, "active"),
        (ACTIVE, OTHER, Change.KIND_CHANGED, "deleting"),
        (ACTIVE, LATER, Change.KIND_CHANGED, "deleting"),
        (ACTIVE, None, Change.LEFT, "deleting"),
        (WITHOUT_UID, SAME, Change.KEPT, "active"),
        (WITHOUT_UID, OTHER, Change.KEPT, "active"),
        (WITHOUT_UID, None, Change.DROPPED, None),
        (OMITTED, SAME, Change.RETURNED, "active"),
        (OMITTED, OTHER, Change.KEPT, "deleting"),
        (OMITTED, None, Change.KEPT, "deleting"),
        (KIND_CHANGED, SAME, Change.RETURNED, "active"),
        (STARTED, SAME, Change.KEPT, "deleting"),
        (REQUESTED, SAME, Change.KEPT, "deleting"),
        (REPLACED, SAME, Change.KEPT, "deleting"),
        (RETAINED, SAME, Change.ADOPTED, "active"),
        (RETAINED, OTHER, Change.RELEASED, None),
        (RETAINED, LATER, Change.RELEASED, None),
        (RETAINED, None, Change.KEPT, "retained"),
        (HELD, SAME, Change.KEPT, "held"),
        (HELD, OTHER, Change.KEPT, "held"),
        (HELD, None, Change.KEPT, "held"),
    ],
)
def test_what_source_makes_of_an_incarnation(
    document: DesiredUnit, owned: tuple[str, str] | None, change: Change, after: str | None
) -> None:
    move = settle(document, owned, LeavingEffect.TEARDOWN)
    assert move.change is change
    assert (move.document.lifecycle.value if move.document else None) == after


@pytest.mark.parametrize("document", [OMITTED, KIND_CHANGED, RETAINED])
def test_a_unit_that_returns_keeps_its_uid_and_has_no_deletion(document: DesiredUnit) -> None:
    assert settle(document, SAME, LeavingEffect.TEARDOWN).document == ACTIVE


@pytest.mark.parametrize(
    ("owned", "effect", "reason", "intent"),
    [
        (None, LeavingEffect.TEARDOWN, "omission", "teardown"),
        (None, LeavingEffect.RETAIN, "omission", "retain"),
        (None, LeavingEffect.RELEASE, "omission", "retain"),
        (OTHER, LeavingEffect.TEARDOWN, "kind-change", "teardown"),
    ],
)
def test_a_deletion_says_why_it_began_and_what_becomes_of_the_resources(
    owned: tuple[str, str] | None, effect: LeavingEffect, reason: str, intent: str
) -> None:
    document = settle(ACTIVE, owned, effect).document
    assert document is not None
    assert document.deletion is not None
    assert (document.deletion.reason.value, document.deletion.intent.value) == (reason, intent)
    assert document.deletion.teardown is TeardownProgress.PENDING


@pytest.mark.parametrize(
    ("document", "permitted"),
    [(OMITTED, False), (KIND_CHANGED, False), (STARTED, True), (REQUESTED, True), (REPLACED, True), (ACTIVE, False)],
)
def test_only_a_teardown_that_started_or_that_an_operator_asked_for_needs_no_permission(
    document: DesiredUnit, *, permitted: bool
) -> None:
    assert is_permitted(document) is permitted
