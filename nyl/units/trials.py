"""Trying a driver out on one unit, for the conformance suite."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace
from pathlib import Path
from typing import TypeVar

from nyl.core.dataclass import dataclass
from nyl.core.masking import Masker
from nyl.units.admission import base_variables
from nyl.units.context import private_folder
from nyl.units.mishaps import Mishap, TrialContext
from nyl.units.witness import witness

_Answer = TypeVar("_Answer")

_KEY = f"sha256:{'7' * 64}"
"""The execution key of every trial."""


@dataclass(frozen=True)
class Trace:
    """What a driver did when one of its tools had a mishap."""

    answer: object
    error: Exception | None
    """What it raised."""
    tool: tuple[str, ...] | None
    """The tool that had the mishap; None where the driver did not start so many."""
    seconds: float
    """How long the driver was at work after the tool had ended."""


@dataclass(frozen=True)
class Trial:
    """Where a driver is tried: each time with a new private folder, and as if on a machine that shares nothing."""

    checkout: Path
    checkouts: Mapping[str, Path] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    """What the unit is admitted beside PATH, HOME and LANG."""
    secrets: Mapping[str, str] = field(default_factory=dict)
    """Variables that it is admitted and whose values are secrets; its driver gets them by the same names."""
    shared: Path | None = None
    """The folder that units share."""

    def run(
        self, act: Callable[[TrialContext], _Answer], approved_digest: str | None = None
    ) -> tuple[_Answer, list[str]]:
        """What the driver gives, what it warned of, and what it did that nyl cannot watch over."""
        with private_folder() as temporary, witness() as seen:
            context = self._context(temporary)
            context.approved_digest = approved_digest
            answer = act(context)
        return answer, [*(each.message for each in context.warnings), *seen.problems()]

    def _context(self, temporary: Path) -> TrialContext:
        """A context that keeps what it admits beyond PATH, HOME and LANG to itself."""
        variables = {**base_variables({}), **self.variables, **self.secrets}
        masker = Masker(self.secrets.values())
        context = TrialContext(self.checkout, temporary, variables, self.checkouts, masker, shared=self.shared)
        context.execution_key, context.secrets = _KEY, self.secrets
        return context

    @contextmanager
    def copied(self) -> "Iterator[Trial]":
        """The same in copies of the checkouts, which are deleted afterwards."""
        with private_folder() as folder:
            copies: dict[Path, Path] = {}
            for number, each in enumerate(dict.fromkeys((self.checkout, *self.checkouts.values()))):
                copies[each] = folder / str(number)
                shutil.copytree(each, copies[each], symlinks=True)
            there = {pointer: copies[each] for pointer, each in self.checkouts.items()}
            yield replace(self, checkout=copies[self.checkout], checkouts=there)

    def cancelled(
        self, act: Callable[[TrialContext], object], outcomes: tuple[type, ...], during: str = ""
    ) -> list[str]:
        """What goes wrong when the run is cancelled before the driver gets to it."""
        when = f"when its run is cancelled{during}"

        def cancel_and_act(context: TrialContext) -> object:
            context.cancellation.cancel()
            return act(context)

        try:
            answer, _ = self.run(cancel_and_act)
        except Exception as error:
            return [f"raises {type(error).__name__} {when}: {error}"]
        return [] if isinstance(answer, outcomes) else [f"gives {answer!r} {when}, which is no outcome"]

    def with_mishap(self, act: Callable[[TrialContext], object], mishap: Mishap, at: int) -> "Trace":
        """What the driver does when something happens to the tool that it starts as its `at`th."""
        answer, error = None, None
        with private_folder() as temporary, witness():
            context = self._context(temporary)
            context.mishap, context.at = mishap, at
            try:
                answer = act(context)
            except Exception as raised:
                error = raised
            tool = context.started[at - 1] if len(context.started) >= at else None
            return Trace(answer, error, tool, context.seconds_after_mishap())
