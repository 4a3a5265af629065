"""The lines of the table, and what they are measured with."""

from dataclasses import dataclass
from pathlib import Path

from scripts.benchmarks.measure import Sample


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    job: str
    value: str
    against: str
    ratio: float
    goal: float

    @property
    def reached(self) -> bool:
        """Whether the goal is met."""
        return self.ratio <= self.goal


@dataclass(frozen=True)
class Bench:
    """What a benchmark works with: a folder on a tmpfs, the yardsticks, and an installed nyl."""

    folder: Path
    yardsticks: Path
    nyl: Path
    units: int
    rounds: int
    with_peers: bool = False
    """Whether other tools are measured too."""

    def ratio(self, job: str, sample: Sample, against: str, other: Sample, goal: float) -> Row:
        """A row that divides two times."""
        value = f"{sample.seconds:.3f} s"
        return Row(job, value, f"{against} {other.seconds:.3f} s", sample.seconds / other.seconds, goal)

    def count(self, job: str, value: float, goal: float, unit: str = "") -> Row:
        """A row that compares a number with the most it may be."""
        ratio = value / goal if goal else 1 + value
        return Row(job, f"{value:.0f}{unit}", f"at most {goal:g}{unit}", ratio, 1)
