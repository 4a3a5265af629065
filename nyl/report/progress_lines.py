"""The words in which progress is told, the same for every view."""

from nyl.core.terminal import without_colours
from nyl.engine.events import Event, Step, UnitEnded, UnitOutput, UnitStarted, WaveStarted
from nyl.report.plaintext import lines, one_line


def event_lines(event: Event) -> list[str]:
    """The lines that tell of an event, each safe to print. A diagnostic has none: it is printed at the end."""
    match event:
        case UnitStarted():
            return [_joined(f"{event.environment}/{event.unit}: started", event.reason)]
        case UnitEnded():
            ended = f"{event.environment}/{event.unit}: {event.result.value} in {elapsed(event.seconds)}"
            return [_joined(ended, event.reason)]
        case UnitOutput():
            label = one_line(f"{event.environment}/{event.unit}")
            return [f"    {label} | {line}".rstrip() for line in (lines(without_colours(event.line)) or [""])]
        case WaveStarted():
            units = "1 unit starts" if event.starting == 1 else f"{event.starting} units start"
            return [one_line(f"{event.environment}: {units}, {event.done} of {event.total} done")]
        case Step():
            return [one_line(f"{event.environment}: {event.text}" if event.environment else event.text)]
    return []


def elapsed(seconds: float) -> str:
    """A duration as a person says it: `0.4s`, `12.0s`, `3m05s`, `1h02m`."""
    if round(seconds, 1) < 60:
        return f"{seconds:.1f}s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}m{rest:02d}s"
    return f"{minutes // 60}h{minutes % 60:02d}m"


def _joined(text: str, reason: str) -> str:
    return one_line(f"{text}: {reason}" if reason else text)
