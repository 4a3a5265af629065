"""Records as plain data and back: state, environment, lease, run, and the holds on a signals ref."""

from nyl.core.dataclass import dataclass
from nyl.state.coordination_documents import Break, Lease, LeaseState, Run, RunState
from nyl.state.documents import EnvironmentRecord, StateRecord
from nyl.state.fields import Fields, Malformed
from nyl.state.lifecycle_codec import Plain, decode_hold, encode_hold, sparse
from nyl.state.lifecycles import Hold


@dataclass(frozen=True)
class Signal:
    """A word to a live run about one unit: who held it, when and why."""

    environment: str
    unit: str
    hold: Hold


def encode_state(record: StateRecord) -> Plain:
    """The fields of a StateRecord."""
    return {
        "environment": record.environment,
        "initializedAt": record.initialized_at.iso(),
        "initializedBy": record.initialized_by,
        "location": dict(record.location),
        **sparse({"events": [dict(each) for each in record.events], "moved": record.moved and dict(record.moved)}),
        **record.extra,
    }


def decode_state(fields: Fields) -> StateRecord:
    """The StateRecord that some fields say. Raises Malformed."""
    return StateRecord(
        environment=fields.text("environment"),
        initialized_at=fields.instant("initializedAt"),
        initialized_by=fields.text("initializedBy"),
        location=fields.data("location"),
        events=fields.maps("events"),
        moved=fields.optional_data("moved"),
        extra=fields.rest(),
    )


def encode_environment(record: EnvironmentRecord) -> Plain:
    """The fields of an EnvironmentRecord."""
    return {
        "environment": record.environment,
        "sourceCommit": record.source_commit,
        "ownership": list(record.ownership),
        "document": dict(record.document),
        **record.extra,
    }


def decode_environment(fields: Fields) -> EnvironmentRecord:
    """The EnvironmentRecord that some fields say. Raises Malformed."""
    return EnvironmentRecord(
        environment=fields.text("environment"),
        source_commit=fields.text("sourceCommit"),
        ownership=fields.texts("ownership"),
        document=fields.data("document"),
        extra=fields.rest(),
    )


def encode_lease(lease: Lease) -> Plain:
    """The fields of a Lease."""
    return {
        "environment": lease.environment,
        "run": lease.run,
        "operation": lease.operation,
        "runner": lease.runner,
        "nonce": lease.nonce,
        "state": lease.state.value,
        "takenAt": lease.taken_at.iso(),
        "deadline": lease.deadline.iso(),
        **sparse(
            {
                "executing": list(lease.executing),
                "broken": lease.broken and encode_break(lease.broken),
                "takenOver": [encode_break(each) for each in lease.taken_over],
                "consumed": dict(lease.consumed),
                "retired": list(lease.retired),
                "heard": dict(lease.heard),
            }
        ),
        **lease.extra,
    }


def decode_lease(fields: Fields) -> Lease:
    """The Lease that some fields say. Raises Malformed."""
    lease = Lease(
        environment=fields.text("environment"),
        run=fields.text("run"),
        operation=fields.text("operation"),
        runner=fields.text("runner"),
        nonce=fields.text("nonce"),
        state=fields.choice("state", LeaseState),
        taken_at=fields.instant("takenAt"),
        deadline=fields.instant("deadline"),
        executing=fields.texts("executing"),
        broken=fields.optional_part("broken", _decode_break),
        taken_over=fields.items("takenOver", _decode_break),
        consumed=fields.text_map("consumed"),
        retired=fields.texts("retired"),
        heard=fields.text_map("heard"),
        extra=fields.rest(),
    )
    if (lease.state is LeaseState.BROKEN) != (lease.broken is not None):
        raise Malformed("/broken", "must say who broke the lease, where and only where its state is broken")
    return lease


def encode_run(run: Run) -> Plain:
    """The fields of a Run."""
    return {
        "environment": run.environment,
        "run": run.run,
        "operation": run.operation,
        "runner": run.runner,
        "state": run.state.value,
        "sourceCommit": run.source_commit,
        "startedAt": run.started_at.iso(),
        "deadline": run.deadline.iso(),
        **sparse({"executing": dict(run.executing), "readObserved": run.read_observed, "after": list(run.after)}),
        **sparse({"approvals": {unit: dict(each) for unit, each in run.approvals.items()}}),
        **sparse({"location": dict(run.location)}),
        **sparse({"breaks": [encode_break(each) for each in run.breaks]}),
        **run.extra,
    }


def decode_run(fields: Fields) -> Run:
    """The Run that some fields say. Raises Malformed."""
    return Run(
        environment=fields.text("environment"),
        run=fields.text("run"),
        operation=fields.text("operation"),
        runner=fields.text("runner"),
        state=fields.choice("state", RunState),
        source_commit=fields.text("sourceCommit"),
        started_at=fields.instant("startedAt"),
        deadline=fields.instant("deadline"),
        executing=fields.text_map("executing"),
        read_observed=fields.optional_text("readObserved"),
        after=fields.texts("after"),
        approvals=fields.data("approvals"),
        location=fields.data("location"),
        breaks=fields.items("breaks", _decode_break),
        extra=fields.rest(),
    )


def encode_break(broken: Break) -> Plain:
    """The fields of a break."""
    return {
        "run": broken.run,
        "by": broken.by,
        "at": broken.at.iso(),
        "reason": broken.reason,
        **broken.extra,
    }


def _decode_break(fields: Fields) -> Break:
    return Break(
        run=fields.text("run"),
        by=fields.text("by"),
        at=fields.instant("at"),
        reason=fields.text("reason"),
        extra=fields.rest(),
    )


def encode_signal(signal: Signal) -> Plain:
    """The fields of a Signal."""
    return {"environment": signal.environment, "unit": signal.unit, "hold": encode_hold(signal.hold)}


def decode_signal(fields: Fields) -> Signal:
    """The Signal that some fields say. Raises Malformed."""
    return Signal(fields.text("environment"), fields.text("unit"), fields.part("hold", decode_hold))
