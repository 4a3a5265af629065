"""What is going on, gathered from events, for views that show more than the last one."""

from dataclasses import dataclass, field

from nyl.engine.events import Event, Step, UnitEnded, UnitStarted, WaveStarted

_READING = "reading the project"


@dataclass
class Work:
    """Counts and names of what an operation does. Not thread-safe: its view holds a lock."""

    step: str = _READING
    running: dict[str, float] = field(default_factory=dict)
    """Unit address -> the monotonic second it started at."""
    _waves: dict[str, WaveStarted] = field(default_factory=dict)
    _ended: dict[str, int] = field(default_factory=dict)

    def note(self, event: Event, now: float) -> None:
        """Takes one event in."""
        match event:
            case UnitStarted():
                self.running[f"{event.environment}/{event.unit}"] = now
            case UnitEnded():
                self.running.pop(f"{event.environment}/{event.unit}", None)
                self._ended[event.environment] = self._ended.get(event.environment, 0) + 1
            case WaveStarted():
                self._waves[event.environment] = event
                self._ended[event.environment] = 0
            case Step():
                self.step = f"{event.environment}: {event.text}" if event.environment else event.text

    @property
    def total(self) -> int:
        """Units of all environments that were begun."""
        return sum(each.total for each in self._waves.values())

    @property
    def done(self) -> int:
        """Units that need no more work, those of the present waves included."""
        return min(self.total, sum(each.done for each in self._waves.values()) + sum(self._ended.values()))
