"""Operations that change what is recorded of an environment and run no unit.

Each is a pure change of what was read while the lease was held: `operate` takes the lease without a run ref, writes
what the change says in one push that also gives the lease back, and reports it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import timedelta
from typing import Any

import nyl
from nyl.core.clock import Instant
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic
from nyl.core.ids import new_id
from nyl.engine.administration import state_of
from nyl.engine.commit_identity import commit_identity
from nyl.engine.events import Step
from nyl.engine.interruptions import moved_too_often
from nyl.engine.results import EnvironmentReport, Report, ReportKind
from nyl.engine.selection import units_by_environment
from nyl.engine.states import runner_name
from nyl.engine.workspace import Workspace
from nyl.git.config import Identity
from nyl.state import transitions
from nyl.state.changes import Consumption, Landed, Transition
from nyl.state.documents import Data, DesiredUnit, ObservedUnit, StateRecord
from nyl.state.landing import StateMoved
from nyl.state.refusals import given_up
from nyl.state.session import Session
from nyl.state.snapshot import StateSnapshot
from nyl.state.store import StateStore
from nyl.state.taking import RunRequest

_DECISIONS = 5
"""How often a change is made again because another environment's writer moved a shared ref."""


@dataclass(frozen=True)
class Operation:
    """What is asked: the name that reports and transitions give it, the environment, by whom."""

    name: str
    environment: str
    author: Identity | None = None
    wait_lease: timedelta | None = None


@dataclass(frozen=True)
class Actor:
    """Who acts, when, and as which run: what a change may tell of itself."""

    identity: Identity
    run: str
    at: Instant


@dataclass(frozen=True)
class Change:
    """What an operation makes of a snapshot: documents by unit, None for one that goes, and how to tell it."""

    desired: Mapping[str, DesiredUnit | None] = field(default_factory=dict)
    observed: Mapping[str, ObservedUnit | None] = field(default_factory=dict)
    artifacts: Mapping[str, Mapping[str, Data]] = field(default_factory=dict)
    """Unit -> the artifacts of its new receipt."""
    count: str = ""
    """What the headline of the commit says, such as `1 held`."""
    summary: Mapping[str, object] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    """What the report says beside the commits."""
    diagnostics: tuple[Diagnostic, ...] = ()
    consumes: Consumption = field(default_factory=Consumption)
    record: StateRecord | None = None
    """The new state.yaml, where it changes."""
    ends: bool = False
    """That the state of the environment ends."""


Decide = Callable[[StateSnapshot, Actor], Change]
"""The change that an operation makes of what was read. Raises NylError for what it refuses; nothing is written then."""


def operate(workspace: Workspace, operation: Operation, decide: Decide) -> Report:
    """Carries out an operation on the state of an environment as the working tree declares it: three round trips.

    Raises what taking a lease raises, NYL-COMMIT-IDENTITY-MISSING before that, and what `decide` raises.
    """
    return operate_on(workspace, state_of(workspace, operation.environment), operation, decide)


def operate_on(workspace: Workspace, store: StateStore, operation: Operation, decide: Decide) -> Report:
    """The same on a state that was opened already."""
    identity = commit_identity(workspace, operation.author)
    session = take(workspace, store, operation, identity)
    actor = Actor(identity, session.lease.run, workspace.clock.now())
    try:
        change, landed = _carry_out(session, decide, workspace, operation, actor)
    except BaseException:
        session.abandon()
        raise
    return report_of(operation, session.snapshot, change, landed)


def named_units(environment: str, units: Sequence[str]) -> tuple[str, ...]:
    """The units that `--unit` options name, with or without their environment, by name. Raises NYL-USAGE."""
    named = units_by_environment(units, (environment,)) or {}
    return tuple(sorted(named.get(environment, ())))


def take(workspace: Workspace, store: StateStore, operation: Operation, identity: Identity) -> Session:
    """The lease for an operation that keeps no run ref. Raises what taking it raises."""
    workspace.listener(Step(operation.environment, "taking the lease"))
    wanted = RunRequest(
        run=new_id(),
        operation=operation.name,
        runner=runner_name(workspace.environ),
        identity=identity,
        source_commit="",
        term=workspace.config.orchestration.lease_grace,
        keeps_run_ref=False,
        given_up=workspace.cancelled,
    )
    return store.take(wanted, operation.wait_lease)


def transition_of(workspace: Workspace, operation: Operation, change: Change, actor: Actor) -> Transition:
    """A change as the state store writes it."""
    words = operation.name.replace("state-", "state ", 1)
    headline = f"nyl: {words} {operation.environment}" + (f" ({change.count})" if change.count else "")
    return Transition(
        headline,
        change.summary,
        trailers_of(workspace, operation, actor),
        desired=change.desired,
        observed=change.observed,
        artifacts=change.artifacts,
        consumes=change.consumes,
        record=change.record,
        ends=change.ends,
    )


def trailers_of(workspace: Workspace, operation: Operation, actor: Actor) -> dict[str, str]:
    """The trailers of an operation's commits, in their order. It works at no source commit."""
    return {
        transitions.OPERATION: operation.name,
        transitions.RUN_ID: actor.run,
        transitions.ENVIRONMENT: operation.environment,
        transitions.RUNNER: runner_name(workspace.environ),
        transitions.EVALUATED_AT: actor.at.iso_seconds(),
        transitions.VERSION: nyl.__version__,
    }


def report_of(operation: Operation, snapshot: StateSnapshot, change: Change, landed: Landed) -> Report:
    """What was done: the commits that were written, then the details of the change."""
    commits = {"desired": landed.desired, "observed": landed.observed}
    written = {name: commit for name, commit in commits.items() if commit is not None}
    section = EnvironmentReport(
        operation.environment,
        desired=landed.desired or snapshot.desired_commit,
        observed=landed.observed or snapshot.observed_commit,
        written=frozenset(written),
        diagnostics=change.diagnostics,
    )
    return Report(ReportKind.OPERATION, (section,), operation=operation.name, details={**written, **change.details})


def _carry_out(
    session: Session, decide: Decide, workspace: Workspace, operation: Operation, actor: Actor
) -> tuple[Change, Landed]:
    for _ in range(_DECISIONS):
        if workspace.cancelled():
            raise given_up(operation.environment, operation.name)
        change = decide(session.snapshot, actor)
        transition = transition_of(workspace, operation, change, actor)
        if transition.empty:
            session.release()
            return change, Landed(None, None)
        try:
            return change, session.conclude(transition)
        except StateMoved:
            continue
    raise moved_too_often(operation.environment, _DECISIONS)
