"""The state of an environment as it was read last, in a form that needs no parsing.

What is kept was checked when it was parsed, and each row of the cache carries a checksum, so the documents are built
as they stand. A document is the list of its fields in the order in which its class declares them.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import field, is_dataclass
from typing import Any, Generic, TypeVar
from zlib import crc32

from nyl import __version__
from nyl.core.cache import Cache
from nyl.core.clock import Instant
from nyl.core.dataclass import dataclass
from nyl.state.documents import (
    Condition,
    ConditionState,
    DesiredUnit,
    EnvironmentRecord,
    InputFile,
    InputRecord,
    Observation,
    ObservationType,
    ObservedUnit,
    Provenance,
    Receipt,
    Repair,
    SourceRecord,
    StateRecord,
    TeardownWait,
    UnitIdentity,
    Work,
)
from nyl.state.lifecycles import (
    Deletion,
    DeletionIntent,
    DeletionReason,
    Hold,
    LifecycleState,
    PendingChange,
    TeardownProgress,
    TeardownRequested,
)

_T = TypeVar("_T")
Trees = tuple[str | None, str | None]
"""The ids of the state's folder at a desired and an observed commit."""

Row = list[Any]

_KEPT: tuple[Any, ...] = (
    *(StateRecord, EnvironmentRecord, DesiredUnit, ObservedUnit, UnitIdentity, Provenance),
    *(InputRecord, InputFile, SourceRecord, Receipt, Condition, Instant),
    *(Deletion, TeardownRequested, Hold, PendingChange, TeardownWait, Repair, Observation),
)
_FORM = crc32(repr([each.__match_args__ for each in _KEPT]).encode())
_NAMESPACE = f"states/{__version__}/{_FORM:08x}"
"""Changes with the fields of the documents."""


@dataclass(frozen=True)
class Section(Generic[_T]):
    """The documents of one kind by the name that their files stand for, and the blobs they were read from."""

    blobs: Mapping[str, str] = field(default_factory=dict)
    documents: Mapping[str, _T] = field(default_factory=dict)


@dataclass(frozen=True)
class KnownState:
    """Every document of an environment's state as two trees hold them; nothing where there are no trees."""

    trees: Trees | None = None
    states: Section[StateRecord] = Section()
    environments: Section[EnvironmentRecord] = Section()
    desired: Section[DesiredUnit] = Section()
    observed: Section[ObservedUnit] = Section()
    observations: Section[Observation] = Section()
    """By type and unit."""


class StateMemory:
    """Keeps the state of one environment in a cache, always the one that was read or written last."""

    def __init__(self, cache: Cache, environment: str) -> None:
        self._cache = cache
        self._environment = environment

    def recall(self) -> KnownState:
        """What was kept; an empty state where nothing was, or nothing that can be used."""
        data = self._cache.get_many(_NAMESPACE, [self._environment]).get(self._environment)
        try:
            return _state(json.loads(data)) if data else KnownState()
        except (TypeError, ValueError):
            return KnownState()

    def keep(self, state: KnownState) -> None:
        """Keeps a state in place of the one before."""
        data = json.dumps(state, default=_plain, separators=(",", ":")).encode()
        self._cache.put_many(_NAMESPACE, {self._environment: data})


def _plain(value: Any) -> Row | dict[str, Any]:
    return list(vars(value).values()) if is_dataclass(value) else dict(value)


def _state(row: Row) -> KnownState:
    (desired, observed), *sections = row
    states, environments, wanted, found, observations = sections
    return KnownState(
        (desired, observed),
        _section(states, _state_record),
        _section(environments, _environment_record),
        _section(wanted, _desired),
        _section(found, _observed),
        _section(observations, _observation),
    )


def _section(row: Row, build: Callable[[Row], _T]) -> Section[_T]:
    blobs, documents = row
    return Section(blobs, {name: build(each) for name, each in documents.items()})


def _state_record(row: Row) -> StateRecord:
    environment, initialized_at, initialized_by, location, events, moved, extra = row
    return StateRecord(environment, Instant(*initialized_at), initialized_by, location, tuple(events), moved, extra)


def _environment_record(row: Row) -> EnvironmentRecord:
    environment, source_commit, ownership, document, extra = row
    return EnvironmentRecord(environment, source_commit, tuple(ownership), document, extra)


def _desired(row: Row) -> DesiredUnit:
    unit, lifecycle, source_commit, source_revision, spec, resolved_spec, key, inputs, provenance, *rest = row
    deletion, hold, readiness, extra = rest
    return DesiredUnit(
        UnitIdentity(*unit),
        LifecycleState(lifecycle),
        source_commit,
        source_revision,
        spec,
        resolved_spec,
        key,
        _inputs(inputs),
        _provenance(provenance),
        deletion and _deletion(deletion),
        hold and _hold(hold),
        tuple(readiness),
        extra,
    )


def _inputs(row: Row) -> InputRecord:
    files, sources, fingerprint, variables, extra = row
    return InputRecord(
        tuple([InputFile(*each) for each in files]),
        {pointer: SourceRecord(*each) for pointer, each in sources.items()},
        fingerprint,
        tuple(variables),
        extra,
    )


def _provenance(rows: dict[str, Row]) -> dict[str, Provenance]:
    return {pointer: Provenance(*each) for pointer, each in rows.items()}


def _observed(row: Row) -> ObservedUnit:
    unit, receipt, condition, teardown, repair, extra = row
    return ObservedUnit(
        UnitIdentity(*unit),
        receipt and _receipt(receipt),
        condition and _condition(condition),
        teardown and _wait(teardown),
        repair and _repair(repair),
        extra,
    )


def _observation(row: Row) -> Observation:
    unit, kind, status, run, at, *rest = row
    return Observation(UnitIdentity(*unit), ObservationType(kind), status, run, Instant(*at), *rest)


def _wait(row: Row) -> TeardownWait:
    run, since, *rest = row
    return TeardownWait(run, Instant(*since), *rest)


def _repair(row: Row) -> Repair:
    by, at, command, *rest = row
    return Repair(by, Instant(*at), tuple(command), *rest)


def _deletion(row: Row) -> Deletion:
    reason, intent, teardown, requested, *rest = row
    return Deletion(
        DeletionReason(reason),
        DeletionIntent(intent),
        TeardownProgress(teardown),
        requested and _request(requested),
        *rest,
    )


def _request(row: Row) -> TeardownRequested:
    by, at, *rest = row
    return TeardownRequested(by, Instant(*at), *rest)


def _hold(row: Row) -> Hold:
    by, at, reason, before, pending, extra = row
    return Hold(by, Instant(*at), reason, LifecycleState(before), pending and _pending(pending), extra)


def _pending(row: Row) -> PendingChange:
    source_commit, key, deletion, extra = row
    return PendingChange(source_commit, key, DeletionReason(deletion) if deletion else None, extra)


def _receipt(row: Row) -> Receipt:
    key, behavior, run, read, started_at, finished_at, version, versions, provenance, *rest = row
    return Receipt(
        key,
        behavior,
        run,
        read,
        Instant(*started_at),
        Instant(*finished_at),
        version,
        versions,
        _provenance(provenance),
        *rest,
    )


def _condition(row: Row) -> Condition:
    state, run, since, reason, key, category, retryable, work, extra = row
    return Condition(ConditionState(state), run, Instant(*since), reason, key, category, retryable, Work(work), extra)
