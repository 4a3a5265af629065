"""Lists of what a project declares and what its state records: `nyl get environments`, `units` and so on."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nyl.core.clock import Instant
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.engine.administration import recorded_state
from nyl.engine.requests import Selection
from nyl.engine.selection import select_environments
from nyl.engine.workspace import Workspace
from nyl.project.units import RenderedUnit
from nyl.state.documents import DesiredUnit, UnitIdentity
from nyl.state.snapshot import StateSnapshot


@dataclass(frozen=True)
class ListedEnvironment:
    """A declared environment. `source` is what decides S: a revision, a commit, or the working tree's own."""

    environment: str
    labels: Mapping[str, str]
    source: str
    desired_ref: str
    observed_ref: str
    file: str


@dataclass(frozen=True)
class ListedUnit:
    """A unit that is declared, recorded or both. `state` is its recorded lifecycle, None where it has none."""

    environment: str
    unit: str
    kind: str
    state: str | None
    run: str | None
    """The run of its receipt."""
    file: str | None
    """Where it is declared; None when it is only recorded."""


@dataclass(frozen=True)
class ListedOutput:
    """An output of a receipt."""

    environment: str
    unit: str
    output: str
    value: Any


@dataclass(frozen=True)
class ListedArtifact:
    """An artifact of a receipt."""

    environment: str
    unit: str
    artifact: str
    digest: str


@dataclass(frozen=True)
class ListedRun:
    """A run that is under way or left results."""

    environment: str
    run: str
    operation: str
    state: str
    runner: str
    started: Instant
    deadline: Instant
    executing: tuple[str, ...]
    holds_lease: bool


def list_environments(workspace: Workspace, names: Sequence[str]) -> list[ListedEnvironment]:
    """The environments of the working tree, or those that are named."""
    environments = workspace.worktree.environments
    return [
        ListedEnvironment(
            name,
            environments[name].labels,
            environments[name].source.commit or environments[name].source.revision or "working tree's commit",
            environments[name].state.desired_ref,
            environments[name].state.observed_ref,
            str(environments[name].location),
        )
        for name in _chosen(workspace, names)
    ]


def list_units(workspace: Workspace, names: Sequence[str], revision: str | None) -> list[ListedUnit]:
    """The units that environments of the working tree declare, with those that their state records.

    State that was never initialised records none. With `revision` only recorded units.
    """
    return [unit for name in _chosen(workspace, names) for unit in _units(workspace, name, revision)]


def list_outputs(workspace: Workspace, names: Sequence[str], revision: str | None) -> list[ListedOutput]:
    """The outputs of all receipts."""
    return [
        ListedOutput(name, unit, output, value)
        for name, snapshot in _snapshots(workspace, names, revision)
        for unit, observed in sorted(snapshot.observed.items())
        if observed.receipt
        for output, value in sorted(observed.receipt.outputs.items())
    ]


def list_artifacts(workspace: Workspace, names: Sequence[str], revision: str | None) -> list[ListedArtifact]:
    """The artifacts of all receipts."""
    return [
        ListedArtifact(name, unit, artifact, digest)
        for name, snapshot in _snapshots(workspace, names, revision)
        for unit, observed in sorted(snapshot.observed.items())
        if observed.receipt
        for artifact, digest in sorted(observed.receipt.artifacts.items())
    ]


def list_runs(workspace: Workspace, names: Sequence[str]) -> list[ListedRun]:
    """The runs that are under way or left results, oldest first."""
    return [
        ListedRun(
            environment=name,
            run=run,
            operation=found.record.operation,
            state=found.record.state.value,
            runner=found.record.runner,
            started=found.record.started_at,
            deadline=found.record.deadline,
            executing=tuple(sorted(found.record.executing)),
            holds_lease=snapshot.lease is not None and snapshot.lease.run == run,
        )
        for name, snapshot in _snapshots(workspace, names, None)
        for run, found in sorted(snapshot.runs.items())
    ]


def _chosen(workspace: Workspace, names: Sequence[str]) -> list[str]:
    project = workspace.worktree
    if not names:
        return sorted(project.environments)
    return [each.name for each in select_environments(project.environments, project.groups, Selection(tuple(names)))]


def _snapshots(workspace: Workspace, names: Sequence[str], revision: str | None) -> Iterator[tuple[str, StateSnapshot]]:
    for name in _chosen(workspace, names):
        yield name, recorded_state(workspace, name, revision)[1]


def _units(workspace: Workspace, name: str, revision: str | None) -> list[ListedUnit]:
    project = workspace.worktree
    declared = {} if revision else project.render(project.environments[name]).units
    snapshot = _recorded(workspace, name, revision)
    desired, observed = (snapshot.desired, snapshot.observed) if snapshot else ({}, {})
    listed = []
    for unit in sorted({*declared, *desired, *observed}):
        known = desired.get(unit) or observed.get(unit)
        receipt = observed[unit].receipt if unit in observed else None
        listed.append(
            ListedUnit(
                name,
                unit,
                _kind(declared.get(unit), known.unit if known else None),
                _state(desired.get(unit)),
                receipt.run if receipt else None,
                str(declared[unit].location) if unit in declared else None,
            )
        )
    return listed


def _kind(declared: RenderedUnit | None, recorded: UnitIdentity | None) -> str:
    """The kind of the incarnation, else the one that is declared, else what the state noted."""
    if declared is None or (recorded is not None and recorded.uid is not None):
        return recorded.kind if recorded else ""
    return declared.kind


def _state(document: DesiredUnit | None) -> str | None:
    """The recorded lifecycle; a file without an incarnation has one only while it is held."""
    if document is None or (document.unit.uid is None and document.hold is None):
        return None
    return document.lifecycle.value


def _recorded(workspace: Workspace, name: str, revision: str | None) -> StateSnapshot | None:
    try:
        return recorded_state(workspace, name, revision)[1]
    except NylError as error:
        if error.diagnostic.code is Code.STATE_MISSING and revision is None:
            return None
        raise
