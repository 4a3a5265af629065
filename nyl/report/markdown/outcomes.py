"""What became of units, or would: those that leave, those that change or wait, and those that stay as they are."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from nyl.core.counts import counted
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, Severity
from nyl.engine.results import Action, EnvironmentReport, Finding, LeavingEffect, Result, UnitReport, UnitState

_LEAVING = "leaving"
_COUNTED = {
    Result.UNCERTAIN: "uncertain",
    Result.FAILED: "failed",
    Finding.ERROR: "not verified",
    Action.EXECUTE: "to execute",
    Result.EXECUTED: "executed",
    Result.RECOVERED: "recovered",
    Result.IMPORTED: "imported",
    UnitState.READY: "ready",
    UnitState.RUNNING: "running",
    Action.AWAIT_APPROVAL: "awaiting approval",
    Result.AWAITING_APPROVAL: "awaiting approval",
    _LEAVING: "leaving",
    Action.TEARDOWN: "to tear down",
    Action.RELEASE: "to release",
    Action.RETAIN: "to retain",
    Result.PENDING_TEARDOWN: "pending teardown",
    Result.TEARING_DOWN: "tearing down",
    Result.REMOVED: "removed",
    Result.RELEASED: "released",
    Result.RETAINED: "retained",
    Result.DRIFTED: "drifted",
    Result.BLOCKED: "blocked",
    Result.HELD: "held",
    Finding.UNVERIFIED: "unverified",
    Result.CURRENT: "current",
    Action.NONE: "unchanged",
    Finding.CLEAN: "clean",
}
"""What a number of units with a verdict is called, in the order of a headline. Equal verdicts of operations are one."""

_WORDS: dict[str, str] = {
    Action.TEARDOWN: "tear down",
    Action.RELEASE: "release (its resources stay)",
    Action.RETAIN: "retain (as a tombstone)",
}
_ORDER = {verdict: place for place, verdict in enumerate(_COUNTED)}
_UNCHANGED = frozenset({Action.NONE, Result.CURRENT, Result.RETAINED, Finding.CLEAN, Finding.UNVERIFIED})
RUNNING = frozenset(
    {Action.EXECUTE, Result.EXECUTED, Result.RECOVERED, Result.IMPORTED, UnitState.READY, UnitState.RUNNING}
)
"""Verdicts of units that run, or ran well: of many of those a reader need not see each."""

_DELETIONS = frozenset({Action.TEARDOWN, Action.RETAIN, Action.RELEASE, Result.PENDING_TEARDOWN, Result.TEARING_DOWN})
_EFFECTS = {
    LeavingEffect.TEARDOWN: Action.TEARDOWN,
    LeavingEffect.RETAIN: Action.RETAIN,
    LeavingEffect.RELEASE: Action.RELEASE,
}


@dataclass(frozen=True)
class Outcome:
    """One environment's units, sorted by how much a reader must know of them."""

    section: EnvironmentReport

    @cached_property
    def leaving(self) -> tuple[UnitReport, ...]:
        """Units that leave the ownership set or are deleted, whatever comes of them, worst first."""
        known = {each.unit for each in self.section.units}
        missing = (
            UnitReport(each.unit, "", _EFFECTS[each.effect], reason=f"left the ownership set ({each.why})")
            for each in self.section.leaving
            if each.unit not in known
        )
        return _sorted((*(each for each in self.section.units if self._leaves(each)), *missing))

    @cached_property
    def changed(self) -> tuple[UnitReport, ...]:
        """Other units that change, changed, or wait for something, worst first."""
        return _sorted(each for each in self.section.units if not self._leaves(each) and each.verdict not in _UNCHANGED)

    @cached_property
    def unchanged(self) -> tuple[UnitReport, ...]:
        """The rest."""
        return _sorted(each for each in self.section.units if not self._leaves(each) and each.verdict in _UNCHANGED)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """What kept the operation from its end."""
        return tuple(each for each in self.section.diagnostics if each.severity is Severity.ERROR)

    @property
    def is_quiet(self) -> bool:
        """Whether there is nothing to tell but that nothing changes."""
        return not (self.leaving or self.changed or self.section.diagnostics)

    def leaving_words(self, unit: UnitReport) -> str:
        """What a headline counts one of `leaving` as: a plan's are leaving, whatever would come of them."""
        planned = isinstance(unit.verdict, Action) and unit.unit in self._leaving_names
        return _COUNTED[_LEAVING if planned else unit.verdict]

    def _leaves(self, unit: UnitReport) -> bool:
        return unit.unit in self._leaving_names or unit.verdict in _DELETIONS

    @cached_property
    def _leaving_names(self) -> frozenset[str]:
        return frozenset(each.unit for each in self.section.leaving)


def headline(outcomes: Sequence[Outcome], errors: int) -> str:
    """The outcome of an operation in a few words, such as `3 to execute, 1 awaiting approval, 1 leaving`."""
    told = [
        *(outcome.leaving_words(unit) for outcome in outcomes for unit in outcome.leaving),
        *(_COUNTED[unit.verdict] for outcome in outcomes for unit in outcome.changed),
    ]
    words = [*([counted(errors, "error")] if errors else []), *_counts(told)]
    return ", ".join(words) or _without_changes(outcomes)


def counts(units: Iterable[UnitReport]) -> str:
    """How many units have which verdict, such as `3 to execute, 1 blocked`."""
    return ", ".join(_counts([_COUNTED[each.verdict] for each in units]))


def verdict_words(unit: UnitReport) -> str:
    """A verdict as words, such as `await approval`."""
    return _WORDS.get(unit.verdict) or str.replace(unit.verdict, "-", " ")


def _without_changes(outcomes: Iterable[Outcome]) -> str:
    units = [unit for outcome in outcomes for unit in outcome.unchanged]
    if any(isinstance(each.verdict, Action | Result) for each in units) or not units:
        return "no changes"
    return counts(units)


def _counts(words: Sequence[str]) -> list[str]:
    found = Counter(words)
    return [f"{found[word]} {word}" for word in dict.fromkeys(_COUNTED.values()) if found[word]]


def _sorted(units: Iterable[UnitReport]) -> tuple[UnitReport, ...]:
    return tuple(sorted(units, key=lambda unit: _ORDER[unit.verdict]))
