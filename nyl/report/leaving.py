"""The block of units that leave an ownership set."""

from collections.abc import Sequence

from nyl.engine.results import Leaving, LeavingEffect
from nyl.report.plaintext import one_line

_LABELS = {
    LeavingEffect.TEARDOWN: "teardown, needs --allow-teardown:",
    LeavingEffect.RELEASE: "dropped from state, resources kept:",
    LeavingEffect.RETAIN: "retained as tombstones:",
}
_WIDTH = max(len(label) for label in _LABELS.values())


def leaving_text(environment: str, leaving: Sequence[Leaving]) -> str:
    """A heading and one line for each thing that can become of a unit; '' when no unit leaves."""
    if not leaving:
        return ""
    heading = f"Units leaving the ownership set of {environment} ({len(leaving)}):\n"
    return heading + "".join(
        f"  {label.ljust(_WIDTH)} {_names(leaving, effect) or '(none)'}\n" for effect, label in _LABELS.items()
    )


def _names(leaving: Sequence[Leaving], effect: LeavingEffect) -> str:
    return ", ".join(one_line(f"{each.unit} ({each.why.value})") for each in leaving if each.effect is effect)
