"""What native plans destroy or replace, in sight although the plans are collapsed, or left out."""

import re
from collections.abc import Iterator

from nyl.core.counts import counted
from nyl.report.markdown.budget import Block, Part, Rank
from nyl.report.markdown.escape import clipped, code, plain_lines, prose
from nyl.report.markdown.outcomes import Outcome

_SIGNS = ("be destroyed", "be deleted", "be removed", "be replaced")
_ALARM = re.compile(r"\b(?:will|would|must) be (?:destroyed|deleted|removed|replaced)\b")
_LONGEST = 200


def alarm_block(outcome: Outcome) -> Block | None:
    """An alert with every line that says so, such as Terraform's `must be replaced`; None without any.

    The units that leave have an alert of their own.
    """
    items = [f"\n> - {code(unit)}: {prose(clipped(line, _LONGEST))}" for unit, line in _alarms(outcome)]
    if not items:
        return None
    opening = f"> [!CAUTION]\n> **{counted(len(items), 'planned destruction')}**\n>"
    least = (opening + items[0], *items[1:])
    return Block(Rank.ALARMS, lambda: "".join(least), Part.ALARMS, 0, lambda: least, Part.ALARMS)


def _alarms(outcome: Outcome) -> Iterator[tuple[str, str]]:
    for unit in outcome.changed:
        if unit.changes is not None and any(each in unit.changes for each in _SIGNS):
            yield from ((unit.unit, line.strip()) for line in plain_lines(unit.changes) if _ALARM.search(line))
