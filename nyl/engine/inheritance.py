"""What dead runs left of each unit, and what becomes of it: pure decisions over run refs and execution keys.

Follows the sections Taking over and Late checkpoints of the Recovery page.
"""

from collections.abc import Iterable, Mapping
from enum import Enum

from nyl.core.dataclass import dataclass
from nyl.state.coordination_documents import Break, Checkpoint, RunState
from nyl.state.documents import Condition, ConditionState, Data, DesiredUnit, ObservedUnit, TeardownWait, Work
from nyl.state.lifecycles import LifecycleState
from nyl.state.snapshot import RunRef


class Ending(Enum):
    """How a dead run ended, as the reason of an uncertain condition says it."""

    BROKEN = "when its lease was broken"
    EXPIRED = "when its lease expired"
    CANCELLED = "when it was cancelled"


@dataclass(frozen=True)
class Entry:
    """What a dead run left of one unit that it started. Without `checkpoint` it was still executing it."""

    unit: str
    run: str
    ending: Ending
    key: str
    """The execution key that the run started the unit with."""
    document: DesiredUnit | None = None
    """The start record."""
    checkpoint: Checkpoint | None = None
    approval: Data | None = None
    """The record of the approval that the run started it with."""
    wait: TeardownWait | None = None
    """How far its teardown had come, where the run had recorded that and went on with it."""

    @property
    def work(self) -> Work:
        """What the run was at."""
        if self.checkpoint is not None:
            return self.checkpoint.work
        torn_down = self.document is not None and self.document.lifecycle is LifecycleState.DELETING
        return Work.TEARDOWN if torn_down else Work.EXECUTION

    @property
    def is_receipt(self) -> bool:
        """Whether the execution completed."""
        return self.checkpoint is not None and is_receipt(self.checkpoint)

    @property
    def waits_for_key(self) -> bool:
        """Whether the unit's present execution key decides what becomes of the entry."""
        if self.checkpoint is None or self.work is Work.TEARDOWN:
            return False
        condition = self.checkpoint.observed.condition
        return condition is None or (condition.state is ConditionState.FAILED and condition.retryable)


class Fate(Enum):
    """What becomes of an entry."""

    IMPORTED = "imported"
    """Its receipt becomes the unit's."""
    FAILED = "failed"
    """Its failure becomes the unit's condition."""
    UNCERTAIN = "uncertain"
    """The unit is uncertain, as nobody knows what its effects are."""
    TEARING_DOWN = "tearing-down"
    """Its teardown goes on."""
    REMOVED = "removed"
    """Its teardown is complete."""
    DROPPED = "dropped"
    """The unit runs again, or the state knows better."""
    LATE = "late"
    """It stays as evidence, for an operator to look at, and to accept where it is a receipt."""


@dataclass(frozen=True)
class Judgement:
    """What becomes of an entry. `reason` is why the unit is uncertain, where nothing recorded says it."""

    fate: Fate
    reason: str = ""
    superseded: bool = False
    """Whether it was recorded for other inputs than the unit has now."""


def is_receipt(checkpoint: Checkpoint) -> bool:
    """Whether a checkpoint tells of an execution that completed."""
    observed = checkpoint.observed
    return checkpoint.work is Work.EXECUTION and observed.receipt is not None and observed.condition is None


def inherited_entries(runs: Mapping[str, RunRef], breaks: Iterable[Break]) -> dict[str, tuple[Entry, ...]]:
    """What dead runs left, by unit, newest first: of several runs that started a unit, the last one counts."""
    broken = {each.run for each in breaks}
    found: dict[str, tuple[Entry, ...]] = {}
    for run in in_order(runs):
        ref = runs[run]
        for unit in sorted(ref.checkpoints.keys() | ref.record.executing.keys()):
            found[unit] = (_entry(unit, run, ref, run in broken), *found.get(unit, ()))
    return found


def unfinished_units(runs: Mapping[str, RunRef]) -> frozenset[str]:
    """The units that one of some dead runs was still executing, whatever another made of them afterwards."""
    return frozenset(unit for ref in runs.values() for unit in ref.record.executing)


def in_order(runs: Mapping[str, RunRef]) -> list[str]:
    """Runs from the oldest results to the newest: a run comes after those that it took over from."""
    return sorted(runs, key=lambda run: (len(runs[run].record.after), run))


def _entry(unit: str, run: str, ref: RunRef, broken: bool) -> Entry:
    executing = ref.record.executing.get(unit)
    document = ref.desired.get(unit)
    known = ref.checkpoints.get(unit)
    checkpoint, wait = (known, None) if executing is None else (None, known.observed.teardown if known else None)
    key = executing or (document.execution_key if document else "")
    ended = Ending.CANCELLED if ref.record.state is RunState.FINISHED else Ending.EXPIRED
    approval = ref.record.approvals.get(unit)
    return Entry(unit, run, Ending.BROKEN if broken else ended, key, document, checkpoint, approval, wait)


def judge(entry: Entry, key: str | None, recorded: ObservedUnit | None, newer: bool) -> Judgement:
    """What becomes of an entry.

    `key` is the unit's present execution key, None where it has none: blocked, held, or no longer selected. `newer`
    says that the state changed what it knows of the unit, `recorded`, since the dead run read it.
    """
    if newer:
        return Judgement(Fate.LATE if _settles(entry.checkpoint, recorded) else Fate.DROPPED)
    if entry.checkpoint is None:
        return Judgement(Fate.UNCERTAIN, _was_at(entry))
    if entry.work is Work.TEARDOWN:
        return _judge_teardown(entry.checkpoint)
    return _judge_execution(entry, entry.checkpoint, key)


def _was_at(entry: Entry) -> str:
    doing = "tearing it down" if entry.work is Work.TEARDOWN else "executing it"
    return f"run {entry.run} was {doing} {entry.ending.value}"


def _judge_teardown(checkpoint: Checkpoint) -> Judgement:
    condition = checkpoint.observed.condition
    if checkpoint.removed:
        return Judgement(Fate.REMOVED)
    if condition is None:
        return Judgement(Fate.TEARING_DOWN)
    return Judgement(Fate.FAILED if condition.state is ConditionState.FAILED else Fate.UNCERTAIN)


def _judge_execution(entry: Entry, checkpoint: Checkpoint, key: str | None) -> Judgement:
    condition, receipt = checkpoint.observed.condition, checkpoint.observed.receipt
    if condition is not None and condition.state is ConditionState.UNCERTAIN:
        return Judgement(Fate.UNCERTAIN)
    if condition is not None:
        if not condition.retryable or key is None or key == condition.execution_key:
            return Judgement(Fate.FAILED)
        return Judgement(Fate.DROPPED, superseded=True)
    if receipt is None or key is None or key == receipt.execution_key:
        return Judgement(Fate.IMPORTED)
    if not checkpoint.effects:
        return Judgement(Fate.DROPPED, superseded=True)
    return Judgement(Fate.UNCERTAIN, f"run {entry.run} executed it with other inputs than it has now", superseded=True)


def runs_needed(runs: Mapping[str, RunRef], observed: Mapping[str, ObservedUnit | None]) -> frozenset[str]:
    """The runs that checkpointed how work ended of which nobody knows that: an operator may go by it, or accept it."""
    return frozenset(
        run
        for run, ref in runs.items()
        if any(_settles(each, observed.get(unit)) for unit, each in ref.checkpoints.items())
    )


def _settles(checkpoint: Checkpoint | None, observed: ObservedUnit | None) -> bool:
    """Whether a checkpoint tells what became of a unit that is uncertain."""
    condition = observed.condition if observed else None
    if checkpoint is None or not _is_uncertain(condition) or _is_uncertain(checkpoint.observed.condition):
        return False
    return condition is not None and checkpoint.work is condition.work


def _is_uncertain(condition: Condition | None) -> bool:
    return condition is not None and condition.state is ConditionState.UNCERTAIN


def needless_evidence(
    evidence: Mapping[str, RunRef], before: Mapping[str, ObservedUnit], changes: Mapping[str, ObservedUnit | None]
) -> frozenset[str]:
    """The evidence refs that nothing needs once some observed documents change; None stands for one that goes."""
    return frozenset(evidence) - runs_needed(evidence, {**before, **changes})
