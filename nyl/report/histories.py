"""The transitions of an environment as a table."""

from collections import Counter
from collections.abc import Sequence

from nyl.engine.administration import PastTransition
from nyl.report.tables import table

_SHORT = 12


def history_text(transitions: Sequence[PastTransition], unit: str | None = None) -> str:
    """One line a transition; with `unit` its result alone, else how many units had which."""
    if not transitions:
        return "no transitions\n"
    rows = [
        (
            each.at.iso_seconds(),
            each.operation,
            each.author,
            (each.source or "")[:_SHORT],
            each.commit[:_SHORT],
            each.results.get(unit, "") if unit else _counts(each),
        )
        for each in transitions
    ]
    return table(("WHEN", "OPERATION", "WHO", "SOURCE", "COMMIT", "RESULTS"), rows)


def _counts(transition: PastTransition) -> str:
    return ", ".join(f"{number} {result}" for result, number in Counter(transition.results.values()).items())
