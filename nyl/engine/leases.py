"""Declaring the holder of a lease gone, and looking at what holds an environment.

Follows the section Breaking a lease of the page Recovery.
"""

from collections.abc import Mapping
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Severity
from nyl.engine.commit_identity import commit_identity
from nyl.engine.recorded_places import recorded_store
from nyl.engine.results import EnvironmentReport, Report, ReportKind
from nyl.engine.workspace import Workspace
from nyl.git.config import Identity
from nyl.state.coordination_documents import Break, Lease
from nyl.state.lease import unrecorded_breaks
from nyl.state.refs import RunRefKind
from nyl.state.snapshot import RunRef


def break_lease(workspace: Workspace, environment: str, reason: str, author: Identity | None) -> Report:
    """Breaks the lease of an environment's holder (`nyl lease break`), whose run must be imported next.

    Where nobody holds it, that is what was wanted, with a warning that nothing was broken. The project need not declare
    the environment any more. Raises NYL-LEASE-UNBREAKABLE when it was broken already.
    """
    identity = commit_identity(workspace, author)
    broken = recorded_store(workspace, environment).break_lease(identity, reason)
    declared = environment in workspace.worktree.environments
    warning = _still_alive(environment, broken, declared=declared) if broken else _held_by_nobody(environment)
    section = EnvironmentReport(environment, diagnostics=(warning,))
    details = {"broken": f"run {broken.run}" if broken else "nothing"}
    return Report(ReportKind.OPERATION, (section,), operation="lease-break", details=details)


def show_lease(workspace: Workspace, environment: str) -> Report:
    """Who holds an environment, and what dead runs left (`nyl lease show`): one fetch, and nothing is locked."""
    access = recorded_store(workspace, environment).access
    sighting, coordination = access.look(), access.coordination
    lease = access.lease(sighting)
    evidence = sorted(sighting.of_runs(RunRefKind.EVIDENCE))
    runs = coordination.runs(sighting, {})
    details: dict[str, Any] = {
        "lease": _lease_document(lease) if lease else None,
        "runs": [_run_document(runs[run]) for run in sorted(runs)],
        "evidence": evidence,
        "breaks": [_break_document(each) for each in unrecorded_breaks(lease, runs)],
    }
    return Report(ReportKind.OPERATION, (EnvironmentReport(environment),), operation="lease-show", details=details)


def _lease_document(lease: Lease) -> Mapping[str, Any]:
    return {
        "state": lease.state.value,
        "run": lease.run,
        "operation": lease.operation,
        "runner": lease.runner,
        "takenAt": lease.taken_at.iso(),
        "deadline": lease.deadline.iso(),
        "executing": list(lease.executing),
    }


def _run_document(ref: RunRef) -> Mapping[str, Any]:
    record = ref.record
    return {
        "run": record.run,
        "operation": record.operation,
        "runner": record.runner,
        "state": record.state.value,
        "deadline": record.deadline.iso(),
        "executing": sorted(record.executing),
        "checkpoints": sorted(ref.checkpoints),
    }


def _break_document(broken: Break) -> Mapping[str, Any]:
    return {"run": broken.run, "by": broken.by, "at": broken.at.iso(), "reason": broken.reason}


def _still_alive(environment: str, broken: Lease, *, declared: bool) -> Diagnostic:
    declare = (
        "" if declared else f"; `nyl recover -e {environment}` imports it where the project declares {environment}"
    )
    return Diagnostic(
        Code.LEASE_HELD,
        f"the lease of run {broken.run} by {broken.runner} was broken; if that run is still alive it may still "
        "cause effects, but it can no longer write state",
        f"make sure the runner is gone; units it was executing become uncertain at the next run{declare}",
        Severity.WARNING,
        environment,
    )


def _held_by_nobody(environment: str) -> Diagnostic:
    return Diagnostic(
        Code.LEASE_UNBREAKABLE,
        f"no run holds {environment}, so that there was no lease to break",
        f"go on with what you were about to do; `nyl lease show -e {environment}` shows what runs left",
        Severity.WARNING,
        environment,
    )
