"""Trying a driver out on one unit, for the conformance suite."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from nyl.units.admission import base_variables
from nyl.units.context import UnitContext, private_folder

_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class Trial:
    """Where a driver is tried: each time with a new private folder."""

    checkout: Path
    checkouts: Mapping[str, Path]

    def run(
        self, act: Callable[[UnitContext], _Answer], approved_digest: str | None = None
    ) -> tuple[_Answer, list[str]]:
        """What the driver gives, and what it warned of."""
        with private_folder() as temporary:
            context = UnitContext(self.checkout, temporary, base_variables({}), self.checkouts)
            context.approved_digest = approved_digest
            answer = act(context)
        return answer, [each.message for each in context.warnings]

    def cancelled(
        self, act: Callable[[UnitContext], object], outcomes: tuple[type, ...], during: str = ""
    ) -> list[str]:
        """What goes wrong when the run is cancelled before the driver gets to it."""
        when = f"when its run is cancelled{during}"

        def cancel_and_act(context: UnitContext) -> object:
            context.cancellation.cancel()
            return act(context)

        try:
            answer, _ = self.run(cancel_and_act)
        except Exception as error:
            return [f"raises {type(error).__name__} {when}: {error}"]
        return [] if isinstance(answer, outcomes) else [f"gives {answer!r} {when}, which is no outcome"]
