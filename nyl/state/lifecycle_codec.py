"""The lifecycle block of a desired document as plain data and back: state, deletion, hold."""

from collections.abc import Mapping
from typing import Any

from nyl.state.fields import Fields
from nyl.state.lifecycles import (
    Deletion,
    DeletionIntent,
    DeletionReason,
    Hold,
    LifecycleState,
    PendingChange,
    TeardownProgress,
    TeardownRequested,
)

Plain = dict[str, Any]
"""The plain data of a document or of a part of one."""


def sparse(fields: Mapping[str, Any]) -> Plain:
    """The fields that say something: without None, False, empty text and empty collections."""
    return {name: value for name, value in fields.items() if value}


def encode_lifecycle(state: LifecycleState, deletion: Deletion | None, hold: Hold | None) -> Plain:
    """The block's fields."""
    parts = {"deletion": deletion and encode_deletion(deletion), "hold": hold and encode_hold(hold)}
    return {"state": state.value, **sparse(parts)}


def decode_lifecycle(fields: Fields) -> tuple[LifecycleState, Deletion | None, Hold | None, Plain]:
    """State, deletion and hold that some fields say, and the fields of a later version. Raises Malformed."""
    return (
        fields.choice("state", LifecycleState),
        fields.optional_part("deletion", _decode_deletion),
        fields.optional_part("hold", decode_hold),
        fields.rest(),
    )


def encode_deletion(deletion: Deletion) -> Plain:
    """The fields of a deletion."""
    requested = deletion.requested
    return {
        "reason": deletion.reason.value,
        "intent": deletion.intent.value,
        "teardown": deletion.teardown.value,
        **sparse({"requested": requested and _encode_request(requested), "hold": deletion.hold}),
        **deletion.extra,
    }


def encode_hold(hold: Hold) -> Plain:
    """The fields of a hold."""
    return {
        "by": hold.by,
        "at": hold.at.iso(),
        "reason": hold.reason,
        **({"before": hold.before.value} if hold.before is not LifecycleState.ACTIVE else {}),
        **sparse({"pending": hold.pending and _encode_pending(hold.pending)}),
        **hold.extra,
    }


def decode_hold(fields: Fields) -> Hold:
    """The hold that some fields say. Raises Malformed."""
    return Hold(
        by=fields.text("by"),
        at=fields.instant("at"),
        reason=fields.text("reason"),
        before=fields.choice("before", LifecycleState) if fields.has("before") else LifecycleState.ACTIVE,
        pending=fields.optional_part("pending", _decode_pending),
        extra=fields.rest(),
    )


def _decode_deletion(fields: Fields) -> Deletion:
    return Deletion(
        reason=fields.choice("reason", DeletionReason),
        intent=fields.choice("intent", DeletionIntent),
        teardown=fields.choice("teardown", TeardownProgress),
        requested=fields.optional_part("requested", _decode_request),
        hold=fields.truth("hold"),
        extra=fields.rest(),
    )


def _encode_request(requested: TeardownRequested) -> Plain:
    return {
        "by": requested.by,
        "at": requested.at.iso(),
        "reason": requested.reason,
        **sparse({"confirmRemoved": requested.confirm_removed}),
        **requested.extra,
    }


def _decode_request(fields: Fields) -> TeardownRequested:
    return TeardownRequested(
        by=fields.text("by"),
        at=fields.instant("at"),
        reason=fields.text("reason"),
        confirm_removed=fields.truth("confirmRemoved"),
        extra=fields.rest(),
    )


def _encode_pending(pending: PendingChange) -> Plain:
    return {
        "sourceCommit": pending.source_commit,
        **sparse({"executionKey": pending.execution_key, "deletion": pending.deletion and pending.deletion.value}),
        **pending.extra,
    }


def _decode_pending(fields: Fields) -> PendingChange:
    return PendingChange(
        source_commit=fields.text("sourceCommit"),
        execution_key=fields.optional_text("executionKey"),
        deletion=fields.choice("deletion", DeletionReason) if fields.has("deletion") else None,
        extra=fields.rest(),
    )
