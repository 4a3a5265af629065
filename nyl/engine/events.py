"""What a run tells while it works; progress views listen."""

from typing import Protocol

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic
from nyl.engine.results import Result


@dataclass(frozen=True)
class UnitStarted:
    """A unit was dispatched."""

    environment: str
    unit: str
    reason: str


@dataclass(frozen=True)
class UnitEnded:
    """A unit's execution ended; `reason` is short, and empty on success."""

    environment: str
    unit: str
    result: Result
    seconds: float
    reason: str = ""


@dataclass(frozen=True)
class UnitOutput:
    """One line that a unit's tool printed, masked, without its line end."""

    environment: str
    unit: str
    line: str


@dataclass(frozen=True)
class OutputEnded:
    """A step of a unit ended, such as its plan or its execution: it prints no more until the next one does."""

    environment: str
    unit: str


@dataclass(frozen=True)
class Step:
    """Something that takes time started or ended, such as waiting for a remote."""

    environment: str | None
    text: str


@dataclass(frozen=True)
class WaveStarted:
    """How many units run next, and how many of all are done."""

    environment: str
    starting: int
    done: int
    total: int


Event = UnitStarted | UnitEnded | UnitOutput | OutputEnded | Step | WaveStarted | Diagnostic


class Listener(Protocol):
    """Takes events, from any thread."""

    def __call__(self, event: Event) -> None:
        """Shows or keeps one event."""
