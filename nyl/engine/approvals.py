"""Approvals of one invocation: what they authorize in one environment, and what is told of units that wait for one.

Follows the section Approvals of the Runs page. An approval binds to the execution key that the unit has at first; a
unit whose key changes later in the run waits for another. The approval of a unit on its way out binds to the recorded
incarnation.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, NylError, NylErrors, Severity
from nyl.core.suggestions import did_you_mean
from nyl.engine.approval_arguments import Approvals
from nyl.engine.authorization import Authorization, approve_option
from nyl.engine.decision import Standing
from nyl.engine.drift import forcing
from nyl.engine.lifecycle import is_in_progress
from nyl.engine.resolution import Resolution
from nyl.engine.results import Result, UnitReport, UnitState
from nyl.project.common_fields import approval_policy
from nyl.project.units import ApprovalBinding
from nyl.state.documents import DesiredUnit
from nyl.state.lifecycles import LifecycleState

_OUT_OF_REACH = {
    Standing.BLOCKED: "it is blocked, so that there is no execution key to approve",
    Standing.HELD: "it is held, and an approval does not lift the hold",
    Standing.FAILED: "it failed and waits for `nyl recover`, which an approval does not replace",
    Standing.UNCERTAIN: "it is uncertain and waits for `nyl recover`, which an approval does not replace",
    Standing.DRIFTED: "it stays drifted, because driftRepair: manual lets no approval repair it",
}


@dataclass(frozen=True)
class Approvable:
    """What can be approved in one environment, as a run finds it at first."""

    environment: str
    resolutions: Mapping[str, Resolution] = field(default_factory=dict)
    """The units of the ownership set that the run may execute."""
    leaving: Mapping[str, DesiredUnit] = field(default_factory=dict)
    """The recorded units that it may tear down."""
    reports_digest: Callable[[str], bool] = lambda _: False
    """Whether the kind of a unit reports digests of changes."""


@dataclass(frozen=True)
class Bound:
    """What approvals authorize: executions and teardowns by unit. `warnings` are of those that authorize nothing."""

    executions: Mapping[str, Authorization] = field(default_factory=dict)
    teardowns: Mapping[str, Authorization] = field(default_factory=dict)
    warnings: tuple[Diagnostic, ...] = ()


def check_named(environment: str, approvals: Approvals, only: Iterable[str] | None) -> None:
    """Raises NYL-APPROVAL-INVALID for every approved unit that is not among those that --unit names."""
    if only is not None:
        fix = "name {unit} with --unit too, or leave out {option}"
        _check_excluded(environment, approvals, only, "--unit", fix)


def check_leaving(environment: str, approvals: Approvals, leaving: Iterable[str]) -> None:
    """Raises NYL-APPROVAL-INVALID for every approved unit that is not on its way out, as --leaving does only those."""
    _check_excluded(environment, approvals, leaving, "--leaving", "leave out --leaving, or {option}")


def _check_excluded(environment: str, approvals: Approvals, left: Iterable[str], by: str, fix: str) -> None:
    known = frozenset(left)
    problems = [
        _invalid(
            environment,
            unit,
            f"{by} excludes it from the run",
            fix.format(unit=unit, option=approve_option(unit, digest=digest)),
        )
        for unit, digest in sorted(approvals.digests.items())
        if unit not in known
    ]
    if problems:
        raise NylErrors(problems)


def bind_approvals(approvals: Approvals, among: Approvable) -> Bound:
    """What the approvals of an invocation authorize, given how the units stand at first.

    A unit that cannot run anyway is told with a warning, and waits. Raises NYL-APPROVAL-INVALID for every approval of
    a unit that the environment does not have, and for a digest of a unit whose kind reports none.
    """
    problems = [
        problem
        for unit, digest in sorted(approvals.digests.items())
        if (problem := _problem(unit, digest, among)) is not None
    ]
    if problems:
        raise NylErrors(problems)
    executions, teardowns, warnings = dict[str, Authorization](), dict[str, Authorization](), list[Diagnostic]()
    for unit, digest in _named(approvals, among):
        document, resolution = among.leaving.get(unit), among.resolutions.get(unit)
        why = _out_of_reach(document, resolution)
        if why:
            warnings.append(_unbound(among.environment, unit, why, resolution))
        elif document is not None:
            teardowns[unit] = Authorization(document.execution_key, digest, document.unit.uid)
        elif resolution is not None and resolution.key is not None:
            executions[unit] = Authorization(resolution.key, digest)
    return Bound(executions, teardowns, tuple(warnings))


def _named(approvals: Approvals, among: Approvable) -> Iterator[tuple[str, str | None]]:
    """The units that are approved by name, then with --approve-all those that wait for an approval or may."""
    yield from sorted(approvals.digests.items())
    if not approvals.everything:
        return
    waiting = {name for name, each in among.resolutions.items() if _may_wait(each)}
    gone = {name for name, each in among.leaving.items() if _is_manual(each)}
    for unit in sorted((waiting | gone) - approvals.digests.keys()):
        yield unit, None


def _may_wait(resolution: Resolution) -> bool:
    """Whether a unit waits for an approval, or does once its driver has told that it has to run again."""
    decision = resolution.decision
    return decision.standing is Standing.AWAITING_APPROVAL or (decision.inspecting and decision.unsafe)


def _is_manual(document: DesiredUnit) -> bool:
    """Whether the teardown of a unit needs an approval to start."""
    held = document.lifecycle is LifecycleState.HELD
    return not held and not is_in_progress(document) and approval_policy(document.resolved_spec) is not None


def _problem(unit: str, digest: str | None, among: Approvable) -> NylError | None:
    environment = among.environment
    known = among.resolutions.keys() | among.leaving.keys()
    if unit not in known:
        fix = did_you_mean(unit, sorted(known), f"choose one that `nyl get units -e {environment}` lists")
        return _invalid(environment, unit, f"environment {environment} has no such unit to execute or tear down", fix)
    if digest is not None and not among.reports_digest(unit):
        fix = f"approve its execution key with --approve {unit}"
        return _invalid(environment, unit, "its kind plans no changes, so that there is no digest to approve", fix)
    return None


def _out_of_reach(document: DesiredUnit | None, resolution: Resolution | None) -> str:
    """Why an approval authorizes nothing; empty where it does."""
    if document is not None:
        return _OUT_OF_REACH[Standing.HELD] if document.lifecycle is LifecycleState.HELD else ""
    if resolution is None:
        return ""
    return _OUT_OF_REACH.get(resolution.standing, "") or (
        _OUT_OF_REACH[Standing.BLOCKED] if resolution.key is None else ""
    )


def _unbound(environment: str, unit: str, why: str, resolution: Resolution | None) -> Diagnostic:
    standing = resolution.standing if resolution else Standing.HELD
    if standing is Standing.DRIFTED and resolution is not None:
        options = forcing(unit, unsafe=resolution.decision.unsafe)
        fix = f"run `nyl reconcile -e {environment} {options}` to execute it"
    elif standing is Standing.HELD:
        fix = f"run `nyl resume -e {environment} --unit {unit}` first"
    elif standing in (Standing.FAILED, Standing.UNCERTAIN):
        fix = f"run `nyl recover -e {environment} --unit {unit} --retry --reason <text>` once it is safe to run again"
    else:
        reason = f" ({resolution.decision.reason})" if resolution and resolution.decision.reason else ""
        fix = f"reconcile what it waits for first{reason}, and approve it in the run after that"
    message = f"the approval of unit {unit} authorizes nothing: {why}"
    return Diagnostic(Code.APPROVAL_INVALID, message, fix, Severity.WARNING, environment, unit)


def _invalid(environment: str, unit: str, why: str, fix: str) -> NylError:
    message = f"Unit {unit} cannot be approved: {why}."
    return NylError(Code.APPROVAL_INVALID, message, fix, environment=environment, unit=unit)


def approval_warnings(environment: str, units: Iterable[UnitReport]) -> tuple[Diagnostic, ...]:
    """NYL-APPROVAL-MISSING for each unit that waits for an approval, with the command that gives it."""
    return tuple(
        Diagnostic(
            Code.APPROVAL_MISSING,
            f"unit {each.unit} waits for an approval: {each.detail}",
            _approving(environment, each),
            Severity.WARNING,
            environment,
            each.unit,
        )
        for each in units
        if each.verdict in (Result.AWAITING_APPROVAL, UnitState.AWAITING_APPROVAL)
    )


def _approving(environment: str, unit: UnitReport) -> str:
    policy, digest = unit.approval, unit.change_digest
    options = approve_option(unit.unit, policy, digest)
    if unit.forced:
        options = forcing(unit.unit, unsafe=True, policy=policy, digest=digest)
    run, plan = f"`nyl reconcile -e {environment} {options}`", f"`nyl plan -e {environment} --unit {unit.unit}`"
    if digest is not None:
        return f"check the change that {plan} shows, then run {run}"
    if policy is not None and policy.bind is ApprovalBinding.PLAN:
        return f"run {plan}, which shows the change and its digest, then run {run}"
    return f"check what running it would do, then run {run}"
