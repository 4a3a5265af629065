"""What is collapsed below a unit's name: its native plan, or how its inputs differ, and the digest to approve."""

import shlex
from functools import partial

from nyl.engine.results import Action, EnvironmentReport, Explanation, Result, UnitReport, UnitState
from nyl.project.units import ApprovalBinding
from nyl.report.markdown.budget import Block, Part, Rank
from nyl.report.markdown.escape import code, fence, html_code
from nyl.report.markdown.listings import LONGEST_REASON, folded, told
from nyl.report.markdown.outcomes import Outcome

_WAITING = frozenset({Action.AWAIT_APPROVAL, Result.AWAITING_APPROVAL, UnitState.AWAITING_APPROVAL})
_FRAME = 90
"""Bytes of a collapsed block around what it tells."""

_SIGNS = {"+": "+", "-": "-", "~": "!"}
"""How a fence that GitHub colours as a diff marks what was added, removed and changed."""


def detail_blocks(outcome: Outcome) -> list[Block]:
    """One collapsed block for each unit that has more to tell than a row of a table."""
    ranked = [
        *((Rank.LEAVING_DETAILS, each) for each in outcome.leaving),
        *((Rank.DETAILS, each) for each in outcome.changed),
    ]
    return [
        Block(rank, partial(_details, unit), Part.DETAILS, at_least=_bytes_at_least(unit))
        for rank, unit in ranked
        if _has_details(unit)
    ]


def approval_block(outcome: Outcome, *, qualified: bool) -> Block | None:
    """The command that approves what waits for an approval and was shown; None when nothing waits.

    `qualified` names the environment of each unit, for an invocation that is about several.
    """
    section = outcome.section
    leaving = [each for each in outcome.leaving if each.change_digest is not None]
    waiting = [each for each in outcome.changed if each.verdict in _WAITING and _is_shown(each)]
    if not (leaving or waiting):
        return None
    argv = [f"nyl reconcile -e {shlex.quote(section.environment)}", *(["--allow-teardown"] if leaving else [])]
    argv += [f"--approve {shlex.quote(_approval(section, each, qualified))}" for each in (*leaving, *waiting)]
    text = "Approve exactly what this shows:\n\n" + fence(" \\\n  ".join(argv), "sh")
    return Block(Rank.APPROVALS, lambda: text, Part.DIGESTS, len(leaving) + len(waiting))


def _is_shown(unit: UnitReport) -> bool:
    """Whether a report shows what an approval would be of: one of a change has the change's digest."""
    bind = unit.approval.bind if unit.approval else ApprovalBinding.KEY
    return unit.change_digest is not None or bind is ApprovalBinding.KEY


def _approval(section: EnvironmentReport, unit: UnitReport, qualified: bool) -> str:
    name = f"{section.environment}/{unit.unit}" if qualified else unit.unit
    return f"{name}={unit.change_digest}" if unit.change_digest else name


def _has_details(unit: UnitReport) -> bool:
    return bool(
        unit.changes is not None
        or unit.change_digest is not None
        or _tells(unit.explanation)
        or len(told(unit)) > LONGEST_REASON
    )


def _tells(explanation: Explanation | None) -> bool:
    return explanation is not None and bool(explanation.fields or explanation.files or explanation.other)


def _bytes_at_least(unit: UnitReport) -> int:
    inputs = unit.explanation
    differences = (*inputs.fields, *inputs.files) if inputs else ()
    return _FRAME + sum(map(len, (unit.unit, unit.changes or "", unit.change_digest or "", *differences)))


def _details(unit: UnitReport) -> str:
    parts: list[tuple[str, str]] = []
    if len(told(unit)) > LONGEST_REASON:
        parts.append(("reason", fence(told(unit))))
    if unit.changes is not None:
        parts.append(("planned change", fence(unit.changes, _language(unit.changes))))
    if unit.explanation is not None and _tells(unit.explanation):
        parts.append(("changed inputs", fence(_differences(unit.explanation), "diff")))
    if unit.change_digest is not None:
        parts.append(("digest", f"Digest of this change: {code(unit.change_digest)}"))
    summary = f"{html_code(unit.unit)}: {', '.join(name for name, _ in parts)}"
    return folded(summary, "\n\n".join(text for _, text in parts))


def _language(changes: str) -> str:
    return "diff" if any(line.startswith(("+", "-")) for line in changes.splitlines()) else "text"


def _differences(explanation: Explanation) -> str:
    lines = [
        *(_signed(each, "spec") for each in explanation.fields),
        *(_signed(each, "file") for each in explanation.files),
        *(f"# {each}" for each in explanation.other),
    ]
    return "\n".join(line.replace("\n", " ") for line in lines)


def _signed(difference: str, what: str) -> str:
    return f"{_SIGNS.get(difference[:1], ' ')} {what} {difference[1:].strip()}"
