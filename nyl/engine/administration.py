"""Operations on one environment's state that run no unit: initialising it, and telling its history."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import nyl
from nyl.core.clock import Instant
from nyl.core.dataclass import dataclass
from nyl.engine.commit_identity import commit_identity
from nyl.engine.requests import Selection
from nyl.engine.results import EnvironmentReport, Report, ReportKind
from nyl.engine.selection import select_environments
from nyl.engine.states import States, runner_name
from nyl.engine.workspace import Workspace
from nyl.git.config import Identity
from nyl.project.resources import Environment
from nyl.state.check import check
from nyl.state.documents import StateRecord
from nyl.state.history import Entry, history
from nyl.state.show import raw_documents
from nyl.state.snapshot import StateSnapshot
from nyl.state.store import StateStore
from nyl.state.transitions import OPERATION, SOURCE_COMMIT

if TYPE_CHECKING:
    from nyl.state.initializing import Founder


@dataclass(frozen=True)
class PastTransition:
    """One transition of an environment, as `nyl history` lists it."""

    at: Instant
    operation: str
    author: str
    source: str | None
    run: str | None
    commit: str
    results: Mapping[str, str]
    """Unit -> its result; of a verification, what it found."""


def environment_named(workspace: Workspace, name: str) -> Environment:
    """An environment as the working tree declares it. Raises NYL-ENVIRONMENT-UNKNOWN."""
    project = workspace.worktree
    return select_environments(project.environments, project.groups, Selection((name,)))[0]


def state_of(workspace: Workspace, name: str) -> StateStore:
    """The state of an environment of the working tree. Raises NYL-ENVIRONMENT-UNKNOWN."""
    return States(workspace).store(environment_named(workspace, name))


def recorded_state(workspace: Workspace, name: str, revision: str | None) -> tuple[StateStore, StateSnapshot]:
    """The state of an environment and what it holds now, or held as of a commit. Raises NYL-STATE-MISSING."""
    store = state_of(workspace, name)
    return store, store.read() if revision is None else store.read_at(revision)


def initialize_state(workspace: Workspace, name: str, author: Identity | None) -> Report:
    """Creates an environment's state (`nyl state init`).

    Raises NYL-STATE-EXISTS, and NYL-COMMIT-IDENTITY-MISSING before anything is asked of the remote.
    """
    founder, store = _founder(workspace, author), state_of(workspace, name)
    return _initialized(name, store, store.initialize(founder))


def initialize_state_anew(workspace: Workspace, name: str, author: Identity | None) -> Report:
    """Creates an environment's state on the history of one that was deleted or moved away (`--fresh`).

    Raises NYL-STATE-EXISTS where it is still there.
    """
    founder, store = _founder(workspace, author), state_of(workspace, name)
    return _initialized(name, store, store.initialize_anew(founder))


def _founder(workspace: Workspace, author: Identity | None) -> "Founder":
    from nyl.state.initializing import Founder

    return Founder(commit_identity(workspace, author), runner_name(workspace.environ), nyl.__version__)


def _initialized(name: str, store: StateStore, record: StateRecord) -> Report:
    made = store.read()
    section = EnvironmentReport(
        name,
        desired=made.desired_commit,
        observed=made.observed_commit,
        written=frozenset({"desired", "observed"}),
    )
    details = {
        "desired": made.desired_commit,
        "observed": made.observed_commit,
        "desiredRef": store.refs.desired,
        "observedRef": store.refs.observed,
        "initializedBy": record.initialized_by,
    }
    return Report(ReportKind.OPERATION, (section,), operation="state-init", details=details)


def past_transitions(workspace: Workspace, name: str, unit: str | None, limit: int | None) -> list[PastTransition]:
    """The transitions of an environment, newest first; with `unit` only those that did something with it."""
    store = state_of(workspace, name)
    return [_told(each) for each in history(store.access, store.read(), unit, limit)]


def stored_documents(workspace: Workspace, name: str, revision: str | None) -> dict[str, Any]:
    """The documents of an environment's state as they are stored, by path (`nyl state show`)."""
    store, snapshot = recorded_state(workspace, name, revision)
    return raw_documents(store.access, snapshot)


def check_state(workspace: Workspace, name: str) -> Report:
    """Reads everything that an environment's state holds and verifies it (`nyl state check`). Repairs nothing.

    What is wrong is in the report.
    """
    result = check(state_of(workspace, name).access)
    found = tuple(each for problem in result.problems for each in problem.about(environment=name).diagnostics)
    section = EnvironmentReport(name, diagnostics=found)
    details = {"documents": result.documents, "commits": result.commits, "problems": len(found)}
    return Report(ReportKind.OPERATION, (section,), operation="state-check", details=details)


def _told(entry: Entry) -> PastTransition:
    record = entry.record
    results = {
        unit: str(told[what])
        for unit, told in record.units.items()
        for what in ("result", "finding")
        if isinstance(told, dict) and what in told
    }
    return PastTransition(
        entry.at,
        record.trailers.get(OPERATION, ""),
        entry.author,
        record.trailers.get(SOURCE_COMMIT),
        record.run,
        entry.commit,
        results,
    )
