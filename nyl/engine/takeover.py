"""Taking over from dead runs: what they left of each unit is settled into what the new run knows of it.

Decisions are in `inheritance`; here is what they mean for documents, lists and warnings of the run that takes over.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace

from nyl.core.clock import Instant
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, Severity
from nyl.engine.inheritance import Entry, Fate, Judgement, inherited_entries, judge, unfinished_units
from nyl.engine.repairs import repair_of
from nyl.state.coordination_documents import Break, Checkpoint
from nyl.state.documents import Condition, ConditionState, Data, DesiredUnit, ObservedUnit, UnitIdentity, Work
from nyl.state.lifecycles import LifecycleState
from nyl.state.snapshot import RunRef, StateSnapshot

_KEEPS_EVIDENCE = frozenset({Fate.LATE, Fate.UNCERTAIN, Fate.DROPPED})
"""What leaves a unit uncertain that was: any other result tells what became of it, and nothing is left to decide."""


@dataclass(frozen=True)
class Settled:
    """What a run goes on with for one unit: documents of a dead run instead of those that the state holds."""

    document: DesiredUnit | None = None
    checkpoint: Checkpoint | None = None


@dataclass
class Takeover:
    """Settles the entries of dead runs, each once. `at` is when the run took over."""

    environment: str = ""
    at: Instant | None = None
    runs: Mapping[str, RunRef] = field(default_factory=dict)
    """The dead runs."""
    breaks: tuple[Break, ...] = ()
    newer: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Run -> the units that the state knows more recent things of than the run did."""
    imported: set[str] = field(default_factory=set)
    """Units whose receipt is that of a dead run."""
    recovered: set[str] = field(default_factory=set)
    """Units that are uncertain because of what a dead run left, or were until another dead run recovered them."""
    removed: set[str] = field(default_factory=set)
    """Units whose teardown a dead run completed."""
    incomplete: dict[str, str] = field(default_factory=dict)
    """What those teardowns may have left behind."""
    confirmed: dict[str, str] = field(default_factory=dict)
    """How those of them that waited came to their ends."""
    touched: set[str] = field(default_factory=set)
    """Units that the state learns something of."""
    approvals: dict[str, Data] = field(default_factory=dict)
    """The approvals that those units were started with."""
    warnings: list[Diagnostic] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._entries = inherited_entries(self.runs, self.breaks)
        self._unfinished = unfinished_units(self.runs)

    @property
    def pending(self) -> tuple[str, ...]:
        """Units that dead runs left something of and that are not settled yet, by name."""
        return tuple(sorted(self._entries))

    @property
    def settled_at_once(self) -> tuple[str, ...]:
        """Those of them that no execution key is needed for."""
        return tuple(unit for unit in self.pending if not self._entries[unit][0].waits_for_key)

    def kind_left(self, unit: str) -> tuple[str, str] | None:
        """apiVersion and kind of what a dead run started, where it is not settled yet."""
        document = next((each.document for each in self._entries.get(unit, ())[:1]), None)
        return (document.unit.api_version, document.unit.kind) if document else None

    def settle(self, unit: str, key: str | None, snapshot: StateSnapshot) -> Settled | None:
        """What a dead run left of a unit, as the run goes on with it; None where there is nothing to go on with.

        `key` is the unit's present execution key, None where it has none.
        """
        left = self._entries.pop(unit, ())
        if not left:
            return None
        entry, *earlier = left
        recorded, newer = snapshot.observed.get(unit), self._is_outdated(entry)
        judgement = judge(entry, key, recorded, newer)
        self._note(entry, judgement)
        if judgement.fate in _KEEPS_EVIDENCE:
            self._note_late(earlier, key, recorded)
        if entry.unit in self._unfinished and not newer:
            self.recovered.add(entry.unit)
        settled = None if newer else self._settled(entry, judgement, snapshot.desired.get(unit), recorded)
        if settled is not None:
            self.touched.add(unit)
            if entry.approval is not None and judgement.fate is not Fate.DROPPED:
                self.approvals[unit] = entry.approval
        return settled

    def _is_outdated(self, entry: Entry) -> bool:
        return entry.unit in self.newer.get(entry.run, ())

    def _note(self, entry: Entry, judgement: Judgement) -> None:
        lists = {
            Fate.IMPORTED: self.imported,
            Fate.UNCERTAIN: self.recovered,
            Fate.REMOVED: self.removed,
        }
        if judgement.fate in lists:
            lists[judgement.fate].add(entry.unit)
        if judgement.fate is Fate.REMOVED and entry.checkpoint is not None:
            self.incomplete |= {entry.unit: entry.checkpoint.incomplete} if entry.checkpoint.incomplete else {}
            self.confirmed |= {entry.unit: entry.checkpoint.confirmed} if entry.checkpoint.confirmed else {}
        if judgement.superseded:
            self.warnings.append(_superseded(self.environment, entry, judgement))
        if judgement.fate is Fate.LATE:
            self.warnings.append(_late(self.environment, entry))

    def _note_late(self, earlier: Iterable[Entry], key: str | None, recorded: ObservedUnit | None) -> None:
        for each in earlier:
            if judge(each, key, recorded, self._is_outdated(each)).fate is Fate.LATE:
                self.warnings.append(_late(self.environment, each))

    def _settled(
        self, entry: Entry, judgement: Judgement, desired: DesiredUnit | None, recorded: ObservedUnit | None
    ) -> Settled | None:
        document = _held_as(entry.document, desired)
        if judgement.fate is Fate.DROPPED:
            created = document is not None and (desired is None or desired.unit.uid is None)
            return Settled(document) if created else None
        if judgement.fate is Fate.UNCERTAIN and judgement.reason:
            return Settled(document, self._uncertain(entry, judgement.reason, recorded))
        return Settled(document, entry.checkpoint)

    def _uncertain(self, entry: Entry, reason: str, recorded: ObservedUnit | None) -> Checkpoint | None:
        identity = _identity(entry, recorded)
        if identity is None or self.at is None:
            return None
        condition = Condition(ConditionState.UNCERTAIN, entry.run, self.at, reason, entry.key, work=entry.work)
        receipt = recorded.receipt if recorded else None
        teardown = entry.wait or (recorded.teardown if recorded else None)
        return Checkpoint(ObservedUnit(identity, receipt, condition, teardown, repair_of(recorded)))


def take_over(
    snapshot: StateSnapshot,
    runs: Mapping[str, RunRef],
    breaks: Iterable[Break],
    newer: Mapping[str, frozenset[str]],
    at: Instant,
) -> Takeover:
    """What some dead runs of an environment left, to be settled over its state."""
    return Takeover(snapshot.environment, at, runs, tuple(breaks), newer)


def describe_breaks(breaks: Collection[Break]) -> dict[str, object]:
    """The `leaseBroken` of summaries: the last break, with those before it under `earlier`. Empty without any."""
    if not breaks:
        return {}
    *earlier, last = (_told(each) for each in breaks)
    return {"leaseBroken": {**last, "earlier": earlier} if earlier else last}


def _told(each: Break) -> dict[str, object]:
    return {"at": each.at.iso(), "by": each.by, "reason": each.reason}


def _identity(entry: Entry, recorded: ObservedUnit | None) -> UnitIdentity | None:
    if entry.document is not None:
        return entry.document.unit
    return recorded.unit if recorded else None


def _held_as(document: DesiredUnit | None, desired: DesiredUnit | None) -> DesiredUnit | None:
    """A dead run's document under the hold that the state has for the unit."""
    if document is None or desired is None or desired.lifecycle is not LifecycleState.HELD:
        return document
    return replace(document, lifecycle=LifecycleState.HELD, hold=desired.hold, deletion=desired.deletion)


def _superseded(environment: str, entry: Entry, judgement: Judgement) -> Diagnostic:
    uncertain = judgement.fate is Fate.UNCERTAIN
    outcome = "its effects are real, so that the unit is uncertain" if uncertain else "it is not used"
    accept = f"`nyl recover -e {environment} --unit {entry.unit} --accept {entry.run} --reason <text>`"
    fix = (
        "check what the execution did; a unit whose recovery policy converges runs again by itself, otherwise "
        f"{accept} adopts the result, or --retry instead of --accept lets it run again"
        if uncertain
        else "nothing is to be done; the unit runs with its present inputs"
    )
    return Diagnostic(
        Code.RUN_SUPERSEDED,
        f"run {entry.run} recorded a result of unit {entry.unit} for other inputs than it has now; {outcome}",
        fix,
        Severity.WARNING,
        environment,
        entry.unit,
    )


def _late(environment: str, entry: Entry) -> Diagnostic:
    recover = f"nyl recover -e {environment} --unit {entry.unit}"
    accept = f"`{recover} --accept {entry.run} --reason <text>` adopts the receipt, or " if entry.is_receipt else ""
    what = "teardown" if entry.work is Work.TEARDOWN else "execution"
    return Diagnostic(
        Code.RUN_LATE_CHECKPOINT,
        f"run {entry.run} recorded {_result_of(entry)} of unit {entry.unit} after the unit was marked uncertain; "
        "it is kept as evidence and changes nothing by itself",
        f"check what the {what} did; then {accept}`{recover} --retry --reason <text>` lets it run again",
        Severity.WARNING,
        environment,
        entry.unit,
    )


def _result_of(entry: Entry) -> str:
    """What a late checkpoint tells, with its article."""
    if entry.is_receipt:
        return "a receipt"
    if entry.checkpoint is not None and entry.checkpoint.observed.condition is not None:
        return "a failure"
    return "the removal" if entry.checkpoint is not None and entry.checkpoint.removed else "a teardown that waits"
