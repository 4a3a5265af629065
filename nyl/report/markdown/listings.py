"""Units of a section as blocks: those that leave, as a loud list, and those that change, as a table."""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby

from nyl.core.counts import counted
from nyl.engine.results import ReportKind, UnitReport
from nyl.report.markdown.budget import Block, Part, Rank
from nyl.report.markdown.escape import clipped, code, prose, table
from nyl.report.markdown.outcomes import RUNNING, Outcome, counts, verdict_words

LONGEST_REASON = 300
"""Characters of a reason that a table shows; the details of the unit have all of it."""

_MOST_UNCHANGED = 100
_MOST_REASONS = 8
_MOST_LINES = 20
_MOST_ROWS = 40
_DONE = (ReportKind.RECONCILE, ReportKind.TEARDOWN)
_VERDICT = {
    ReportKind.PLAN: "Action",
    ReportKind.STATUS: "State",
    ReportKind.VERIFY: "Finding",
}


def leaving_block(outcome: Outcome, kind: ReportKind) -> Block | None:
    """A red alert with every unit that leaves, or left; None without any."""
    units, environment = outcome.leaving, outcome.section.environment
    if not units:
        return None
    leave = "left" if kind in _DONE else "leaves" if len(units) == 1 else "leave"
    opening = f"> [!CAUTION]\n> **{counted(len(units), 'unit')} {leave}** {code(environment)}\n>"
    shared = _share_reasons(units)
    least = partial(_names, opening, units, "\n> - ", with_reasons=shared)
    one_each = [f"\n> - {code(each.unit)}: **{verdict_words(each)}**{_because(told(each))}" for each in units]
    return Block(
        Rank.LEAVING,
        lambda: "".join(least() if shared and len(units) > _MOST_LINES else [opening, *one_each]),
        Part.LEAVING_REASONS,
        0 if shared else len(units),
        least,
        Part.LEAVING,
    )


def changes_blocks(outcome: Outcome, kind: ReportKind) -> list[Block]:
    """A table with a row for every unit that changes or waits; collapsed where that is long.

    Of many, those that wait or failed have a table of their own.
    """
    units = outcome.changed
    if len(units) <= _MOST_ROWS:
        parts = [units]
    else:
        parts = [tuple(each for each in units if (each.verdict in RUNNING) is runs) for runs in (False, True)]
    return [_changes_block(part, kind) for part in parts if part]


def _changes_block(units: Sequence[UnitReport], kind: ReportKind) -> Block:
    is_folded, shared = len(units) > _MOST_ROWS, _share_reasons(units)
    opening = f"<details><summary>{counts(units)}</summary>\n" if is_folded else ""
    return Block(
        Rank.CHANGES,
        lambda: folded(counts(units), _table(units, kind)) if is_folded else _table(units, kind),
        Part.REASONS,
        0 if shared else len(units),
        partial(_names, opening, units, "\n- ", with_reasons=shared),
        ending="\n\n</details>" if is_folded else "",
        at_least=_bytes_at_least(units),
    )


def unchanged_block(outcome: Outcome) -> Block | None:
    """A collapsed list of the units that stay as they are: names, and a count for the rest."""
    units = outcome.unchanged
    if not units:
        return None
    groups = [(verdict, list(found)) for verdict, found in groupby(units, key=verdict_words)]
    names = [_some_names(found) for _, found in groups]
    if len(groups) > 1:
        names = [f"{verdict} ({len(found)}): {each}" for (verdict, found), each in zip(groups, names, strict=True)]
    summary = counted(len(units), "unchanged unit")
    text = folded(summary, "\n\n".join(names))
    return Block(Rank.UNCHANGED, lambda: text, Part.UNCHANGED, len(units))


def told(unit: UnitReport) -> str:
    """All that a report says of a unit beside its verdict."""
    if not (unit.detail or unit.category or unit.nyl_version):
        return unit.reason
    version = f"receipt written by nyl {unit.nyl_version}" if unit.nyl_version else ""
    category = f"{unit.category} failure" if unit.category else ""
    reason = unit.reason if unit.reason not in unit.detail else ""
    return "; ".join(part for part in (reason, unit.detail, category, version) if part)


def folded(summary: str, body: str) -> str:
    """A collapsed block. `summary` is HTML, `body` Markdown."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def _table(units: Sequence[UnitReport], kind: ReportKind) -> str:
    is_timed = any(each.duration_ms is not None for each in units)
    headings = ["Unit", "Kind", _VERDICT.get(kind, "Result"), *(["Time"] if is_timed else []), "Why"]

    def row(unit: UnitReport) -> list[str]:
        seconds = [_seconds(unit)] if is_timed else []
        why = prose(clipped(told(unit), LONGEST_REASON))
        return [code(unit.unit), prose(unit.kind), f"**{verdict_words(unit)}**", *seconds, why]

    return table(headings, map(row, units))


def _bytes_at_least(units: Iterable[UnitReport]) -> int:
    return sum(len(each.unit) + min(len(each.reason), LONGEST_REASON) for each in units)


def _some_names(units: Sequence[UnitReport]) -> str:
    names, more = [code(each.unit) for each in units[:_MOST_UNCHANGED]], len(units) - _MOST_UNCHANGED
    return f"{', '.join(names)} and {more} more" if more > 0 else ", ".join(names)


def _names(opening: str, units: Sequence[UnitReport], bullet: str, *, with_reasons: bool) -> tuple[str, ...]:
    """The least that a list of units says: their names, grouped by what they share. Joined, they are Markdown."""
    items: list[str] = []
    for verdict, found in groupby(units, key=verdict_words):
        reasons: dict[str, list[str]] = {}
        for unit in found:
            reasons.setdefault(told(unit) if with_reasons else "", []).append(code(unit.unit))
        for reason, names in reasons.items():
            start = f"{bullet}**{verdict}** ({len(names)}){_because(reason)}: "
            items += [f"{start if at == 0 else ', '}{name}" for at, name in enumerate(names)]
    return (opening + items[0] if opening else items[0].lstrip("\n"), *items[1:])


def _share_reasons(units: Iterable[UnitReport]) -> bool:
    """Whether so few reasons are shared by all units that they can be told once each."""
    found: set[str] = set()
    for unit in units:
        found.add(told(unit))
        if len(found) > _MOST_REASONS:
            return False
    return True


def _because(reason: str) -> str:
    return f", {prose(clipped(reason, LONGEST_REASON))}" if reason else ""


def _seconds(unit: UnitReport) -> str:
    return "" if unit.duration_ms is None else f"{unit.duration_ms / 1000:.1f}\u00a0s"


def existing(blocks: Iterable[Block | None]) -> list[Block]:
    """The blocks that there are."""
    return [each for each in blocks if each is not None]
