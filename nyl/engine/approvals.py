"""Approvals of one invocation: what `--approve` authorizes, and the record of who gave it.

Follows the section Approvals of the Runs page. An approval binds to the execution key that the unit has at first; a
unit whose key changes later in the run waits for another.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, NylError, NylErrors, Severity
from nyl.core.suggestions import did_you_mean
from nyl.engine.decision import Standing
from nyl.engine.drift import forcing
from nyl.engine.resolution import Resolution
from nyl.engine.results import Result, UnitReport, UnitState
from nyl.git.config import Identity
from nyl.state.documents import Data

_OUT_OF_REACH = {
    Standing.BLOCKED: "it is blocked, so that there is no execution key to approve",
    Standing.HELD: "it is held, and an approval does not lift the hold",
    Standing.FAILED: "it failed and waits for `nyl recover`, which an approval does not replace",
    Standing.UNCERTAIN: "it is uncertain and waits for `nyl recover`, which an approval does not replace",
}


def check_approvals(
    environment: str, approved: Iterable[str], units: Iterable[str], only: frozenset[str] | None
) -> None:
    """Raises NYL-APPROVAL-INVALID for every approval of a unit that the environment or --unit does not have."""
    known = sorted(units)
    problems = []
    for unit in sorted(approved):
        if unit not in known:
            fix = did_you_mean(unit, known, f"choose one that `nyl get units -e {environment}` lists")
            problems.append(_invalid(environment, unit, f"environment {environment} has no such unit", fix))
        elif only is not None and unit not in only:
            fix = f"name it with --unit {unit} too, or leave out --approve {unit}"
            problems.append(_invalid(environment, unit, "--unit excludes it from the run", fix))
    if problems:
        raise NylErrors(problems)


def bind_approvals(environment: str, approved: Iterable[str], resolutions: Mapping[str, Resolution]) -> dict[str, str]:
    """Unit -> the key that its approval authorizes, from how the units resolve at first.

    Raises NYL-APPROVAL-INVALID for every approval that cannot make its unit run, so that nobody takes it for given.
    """
    problems, keys = [], {}
    for unit in sorted(approved):
        resolution = resolutions[unit]
        decision = resolution.decision
        why = _OUT_OF_REACH.get(decision.standing)
        if why is None and decision.standing is Standing.DRIFTED:
            why = "it stays drifted, because driftRepair: manual lets no approval repair it"
        if why is not None or resolution.key is None:
            problems.append(_out_of_reach(environment, unit, resolution, why or _OUT_OF_REACH[Standing.BLOCKED]))
        else:
            keys[unit] = resolution.key
    if problems:
        raise NylErrors(problems)
    return keys


def _out_of_reach(environment: str, unit: str, resolution: Resolution, why: str) -> NylError:
    standing = resolution.standing
    if standing is Standing.DRIFTED:
        fix = f"run `nyl reconcile -e {environment} {forcing(unit, unsafe=resolution.decision.unsafe)}` to execute it"
    elif standing is Standing.HELD:
        fix = f"run `nyl resume -e {environment} --unit {unit}` first, or leave out --approve {unit}"
    elif standing in (Standing.FAILED, Standing.UNCERTAIN):
        fix = f"run `nyl recover -e {environment} --unit {unit} --retry --reason <text>` once it is safe to run again"
    else:
        fix = f"reconcile what it waits for first ({resolution.decision.reason}), and approve it in the run after that"
    return _invalid(environment, unit, why, fix)


def _invalid(environment: str, unit: str, why: str, fix: str) -> NylError:
    message = f"Unit {unit} cannot be approved: {why}."
    return NylError(Code.APPROVAL_INVALID, message, fix, environment=environment, unit=unit)


@dataclass(frozen=True)
class Approver:
    """From where it is known who approved, and who did: an audit record, not a control."""

    by: tuple[str, ...]
    source: str
    identity: str
    """`local` for the Git user of a workstation; `unknown` in CI, where nothing here tells who let the run start."""

    @property
    def record(self) -> Data:
        """What receipts and transitions keep of an approval. Nothing was reviewed: no plan was shown for it."""
        return {"by": list(self.by), "source": self.source, "identity": self.identity, "reviewed": False}


def approver(identity: Identity, ci_run: str | None) -> Approver:
    """Who approves what an invocation approves: in CI its run without a name, else the Git user."""
    if ci_run is not None:
        return Approver((), ci_run, "unknown")
    return Approver((str(identity),), "local", "local")


def _approving(environment: str, unit: UnitReport) -> str:
    if unit.forced:
        return f"run `nyl reconcile -e {environment} {forcing(unit.unit, unsafe=True)}`"
    return f"pass --approve {unit.unit} to `nyl reconcile -e {environment}`"


def approval_warnings(environment: str, units: Iterable[UnitReport]) -> tuple[Diagnostic, ...]:
    """NYL-APPROVAL-MISSING for each unit that waits for an approval, with the command that gives it."""
    return tuple(
        Diagnostic(
            Code.APPROVAL_MISSING,
            f"unit {each.unit} waits for an approval: {each.detail}",
            f"check what running it would do, then {_approving(environment, each)}",
            Severity.WARNING,
            environment,
            each.unit,
        )
        for each in units
        if each.verdict in (Result.AWAITING_APPROVAL, UnitState.AWAITING_APPROVAL)
    )
