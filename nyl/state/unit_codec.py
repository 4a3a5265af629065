"""Documents of units as plain data and back: desired, observed, checkpoints."""

from nyl.state.coordination_documents import Checkpoint
from nyl.state.documents import (
    Condition,
    ConditionState,
    DesiredUnit,
    Observation,
    ObservationType,
    ObservedUnit,
    Receipt,
    Repair,
    TeardownWait,
    UnitIdentity,
    Work,
)
from nyl.state.fields import Fields, Malformed
from nyl.state.input_codec import decode_inputs, decode_provenance, encode_inputs, encode_provenance
from nyl.state.lifecycle_codec import Plain, decode_lifecycle, encode_lifecycle, sparse


def encode_desired(document: DesiredUnit) -> Plain:
    """The fields of a DesiredUnit."""
    extra = dict(document.extra)
    lifecycle = encode_lifecycle(document.lifecycle, document.deletion, document.hold)
    lifecycle |= extra.pop("lifecycle", {})
    return {
        "unit": _encode_identity(document.unit),
        "lifecycle": lifecycle,
        "sourceCommit": document.source_commit,
        "sourceRevision": document.source_revision,
        "spec": dict(document.spec),
        "resolvedSpec": dict(document.resolved_spec),
        **sparse({"provenance": encode_provenance(document.provenance)}),
        **sparse({"executionKey": document.execution_key}),
        "inputs": encode_inputs(document.inputs),
        **sparse({"readiness": list(document.readiness)}),
        **extra,
    }


def decode_desired(fields: Fields) -> DesiredUnit:
    """The DesiredUnit that some fields say. Raises Malformed."""
    state, deletion, hold, more = fields.part("lifecycle", decode_lifecycle)
    document = DesiredUnit(
        unit=fields.part("unit", _decode_identity),
        lifecycle=state,
        source_commit=fields.text("sourceCommit"),
        source_revision=fields.text("sourceRevision"),
        spec=fields.data("spec"),
        resolved_spec=fields.data("resolvedSpec"),
        execution_key=fields.digest("executionKey") if fields.has("executionKey") else "",
        inputs=fields.part("inputs", decode_inputs),
        provenance=fields.each("provenance", decode_provenance),
        deletion=deletion,
        hold=hold,
        readiness=fields.texts("readiness"),
        extra=fields.rest(),
    )
    if more:
        fields.rest()["lifecycle"] = more
    return document


def encode_observed(document: ObservedUnit) -> Plain:
    """The fields of an ObservedUnit."""
    return {
        "unit": _encode_identity(document.unit),
        **sparse(
            {
                "receipt": document.receipt and _encode_receipt(document.receipt),
                "condition": document.condition and _encode_condition(document.condition),
                "teardown": document.teardown and _encode_wait(document.teardown),
                "repair": document.repair and _encode_repair(document.repair),
            }
        ),
        **document.extra,
    }


def decode_observed(fields: Fields) -> ObservedUnit:
    """The ObservedUnit that some fields say. Raises Malformed."""
    return ObservedUnit(
        unit=fields.part("unit", _decode_identity),
        receipt=fields.optional_part("receipt", _decode_receipt),
        condition=fields.optional_part("condition", _decode_condition),
        teardown=fields.optional_part("teardown", _decode_wait),
        repair=fields.optional_part("repair", _decode_repair),
        extra=fields.rest(),
    )


def encode_checkpoint(checkpoint: Checkpoint) -> Plain:
    """The fields of a checkpoint, which is an ObservedUnit that also says whether there were effects."""
    told = sparse(
        {
            "work": checkpoint.work.value if checkpoint.work is not Work.EXECUTION else "",
            "removed": checkpoint.removed,
            "incomplete": checkpoint.incomplete,
            "confirmed": checkpoint.confirmed,
        }
    )
    return {**encode_observed(checkpoint.observed), "effects": checkpoint.effects, **told}


def decode_checkpoint(fields: Fields) -> Checkpoint:
    """The checkpoint that some fields say, without its artifacts. Raises Malformed."""
    return Checkpoint(
        effects=fields.truth("effects", default=True),
        work=_decode_work(fields),
        removed=fields.truth("removed"),
        incomplete=fields.optional_text("incomplete") or "",
        confirmed=fields.optional_text("confirmed") or "",
        observed=decode_observed(fields),
    )


def encode_observation(observation: Observation) -> Plain:
    """The fields of an Observation."""
    return {
        "unit": _encode_identity(observation.unit),
        "type": observation.type.value,
        "status": observation.status,
        "run": observation.run,
        "at": observation.at.iso(),
        "executionKey": observation.execution_key,
        **sparse({"detail": observation.detail, "data": dict(observation.data)}),
        **observation.extra,
    }


def decode_observation(fields: Fields) -> Observation:
    """The Observation that some fields say. Raises Malformed."""
    return Observation(
        unit=fields.part("unit", _decode_identity),
        type=fields.choice("type", ObservationType),
        status=fields.text("status"),
        run=fields.text("run"),
        at=fields.instant("at"),
        execution_key=fields.digest("executionKey"),
        detail=fields.optional_text("detail") or "",
        data=fields.data("data"),
        extra=fields.rest(),
    )


def _decode_work(fields: Fields) -> Work:
    return fields.choice("work", Work) if fields.has("work") else Work.EXECUTION


def _encode_wait(wait: TeardownWait) -> Plain:
    return {
        "run": wait.run,
        "since": wait.since.iso(),
        "reason": wait.reason,
        **sparse({"progress": dict(wait.progress)}),
        **wait.extra,
    }


def _decode_wait(fields: Fields) -> TeardownWait:
    return TeardownWait(
        run=fields.text("run"),
        since=fields.instant("since"),
        reason=fields.text("reason"),
        progress=fields.data("progress"),
        extra=fields.rest(),
    )


def _encode_repair(repair: Repair) -> Plain:
    return {
        "by": repair.by,
        "at": repair.at.iso(),
        "command": list(repair.command),
        **sparse({"reason": repair.reason}),
        **repair.extra,
    }


def _decode_repair(fields: Fields) -> Repair:
    return Repair(
        by=fields.text("by"),
        at=fields.instant("at"),
        command=fields.texts("command"),
        reason=fields.optional_text("reason") or "",
        extra=fields.rest(),
    )


def _encode_identity(unit: UnitIdentity) -> Plain:
    return {
        "environment": unit.environment,
        "name": unit.name,
        **({"uid": unit.uid} if unit.uid is not None else {}),
        "apiVersion": unit.api_version,
        "kind": unit.kind,
        **unit.extra,
    }


def _decode_identity(fields: Fields) -> UnitIdentity:
    return UnitIdentity(
        environment=fields.text("environment"),
        name=fields.text("name"),
        uid=fields.optional_text("uid"),
        api_version=fields.text("apiVersion"),
        kind=fields.text("kind"),
        extra=fields.rest(),
    )


def _encode_receipt(receipt: Receipt) -> Plain:
    return {
        "executionKey": receipt.execution_key,
        "behaviorVersion": receipt.behavior_version,
        "run": receipt.run,
        "readDesired": receipt.read_desired,
        "startedAt": receipt.started_at.iso(),
        "finishedAt": receipt.finished_at.iso(),
        "versions": {"nyl": receipt.nyl_version, **{k: v for k, v in receipt.versions.items() if k != "nyl"}},
        **sparse(
            {
                "provenance": encode_provenance(receipt.provenance),
                "outputs": dict(receipt.outputs),
                "artifacts": dict(receipt.artifacts),
                "approval": receipt.approval and dict(receipt.approval),
            }
        ),
        **receipt.extra,
    }


def _decode_receipt(fields: Fields) -> Receipt:
    versions = dict(fields.text_map("versions"))
    if "nyl" not in versions:
        raise Malformed("/receipt/versions/nyl", "must be a string")
    return Receipt(
        execution_key=fields.digest("executionKey"),
        behavior_version=fields.integer("behaviorVersion"),
        run=fields.text("run"),
        read_desired=fields.text("readDesired"),
        started_at=fields.instant("startedAt"),
        finished_at=fields.instant("finishedAt"),
        nyl_version=versions.pop("nyl"),
        versions=versions,
        provenance=fields.each("provenance", decode_provenance),
        outputs=fields.data("outputs"),
        artifacts=fields.text_map("artifacts"),
        approval=fields.optional_data("approval"),
        extra=fields.rest(),
    )


def _encode_condition(condition: Condition) -> Plain:
    return {
        "state": condition.state.value,
        "run": condition.run,
        "since": condition.since.iso(),
        "reason": condition.reason,
        **sparse({"executionKey": condition.execution_key, "category": condition.category}),
        **({"retryable": condition.retryable} if condition.state is ConditionState.FAILED else {}),
        **({"work": condition.work.value} if condition.work is not Work.EXECUTION else {}),
        **condition.extra,
    }


def _decode_condition(fields: Fields) -> Condition:
    return Condition(
        state=fields.choice("state", ConditionState),
        run=fields.text("run"),
        since=fields.instant("since"),
        reason=fields.text("reason"),
        execution_key=fields.optional_text("executionKey") or "",
        category=fields.optional_text("category"),
        retryable=fields.truth("retryable"),
        work=_decode_work(fields),
        extra=fields.rest(),
    )
