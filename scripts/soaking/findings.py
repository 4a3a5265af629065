"""What a soak found so far."""

import time
from dataclasses import dataclass, field


@dataclass
class Findings:
    """Cases that were looked at, and those in which something was wrong. `until` is a monotonic reading."""

    until: float
    cases: int = 0
    wrong: dict[str, list[str]] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self.until

    def add(self, case: str, problems: list[str]) -> None:
        """Takes note of a case, and tells at once when something is wrong."""
        self.cases += 1
        if problems:
            self.wrong[case] = problems
            print("\n  ".join([f"WRONG {case}", *problems]), flush=True)
        elif self.cases % 50 == 0:
            print(f"{self.cases} cases, {len(self.wrong)} wrong; last: {case}", flush=True)

    @property
    def summary(self) -> str:
        """One line for the end."""
        return f"{self.cases} cases, {len(self.wrong)} wrong"
