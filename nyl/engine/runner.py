"""The wave loop: starts ready units, checkpoints what ends, resolves again, until nothing is ready.

Follows the section Waves of the Runs page and the section Lease and run of the state format: nothing starts before its
start record is pushed, and while a push is under way finished units gather for the next.
"""

import queue
from collections import deque
from collections.abc import Mapping, Sequence, Sized
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol

from nyl.core.clock import Clock, Instant
from nyl.core.diagnostics import NylError
from nyl.engine.decision import Standing
from nyl.engine.events import Listener, UnitEnded, UnitStarted, WaveStarted
from nyl.engine.ledger import Ledger
from nyl.engine.preflight import CheckedUnit
from nyl.engine.recording import RunFacts, condition_checkpoint, desired_document, receipt_checkpoint
from nyl.engine.resolution import Resolver
from nyl.engine.results import Result
from nyl.state.changes import Batch
from nyl.state.documents import Checkpoint, DesiredUnit
from nyl.state.session import Session
from nyl.state.snapshot import StateSnapshot
from nyl.units.cancellation import CancellationToken
from nyl.units.driver import Outcome, Succeeded, Uncertain

_CANCEL_POLL_SECONDS = 0.2


class Executor(Protocol):
    """Executes one unit in a slot of its own; called from as many threads as there are slots."""

    def __call__(self, unit: CheckedUnit, document: DesiredUnit) -> Outcome:
        """Brings the unit about. Never raises."""


@dataclass(frozen=True)
class RunOptions:
    """How a run goes about its units. `only` None runs every ready unit."""

    concurrency: int
    grace: timedelta
    fail_fast: bool = False
    only: frozenset[str] | None = None


@dataclass(frozen=True)
class Surroundings:
    """What a run hears from and speaks to."""

    clock: Clock
    listener: Listener
    cancellation: CancellationToken


@dataclass(frozen=True)
class Ended:
    """How an execution ended, and what is recorded of it."""

    unit: str
    result: Result
    checkpoint: Checkpoint
    reason: str
    execution_key: str
    outcome: Outcome
    seconds: float


@dataclass
class RunOutcome:
    """What a run did, in dispatch order."""

    dispatched: list[str] = field(default_factory=list)
    ended: dict[str, Ended] = field(default_factory=dict)
    stopped_by: str | None = None
    """The unit after whose failure --fail-fast stopped the run."""
    cancelled: bool = False
    interruption: NylError | None = None
    """What kept the run from writing on, such as a lost lease."""
    unrecorded: dict[str, Checkpoint] = field(default_factory=dict)
    """Results that no push has carried yet."""


@dataclass(frozen=True)
class _Started:
    unit: CheckedUnit
    document: DesiredUnit
    reason: str
    recovering: bool
    at: Instant
    tick: float


class Runner:
    """One environment's run over a session that holds the lease."""

    def __init__(
        self,
        session: Session,
        facts: RunFacts,
        units: Mapping[str, CheckedUnit],
        ledger: Ledger,
        resolver: Resolver,
        executor: Executor,
        options: RunOptions,
        surroundings: Surroundings,
    ) -> None:
        self.facts = facts
        self._session = session
        self._units = units
        self._ledger = ledger
        self._resolver = resolver
        self._execute = executor
        self._options = options
        self._clock = surroundings.clock
        self._listener = surroundings.listener
        self._cancellation = surroundings.cancellation
        self._finished: queue.SimpleQueue[Ended] = queue.SimpleQueue()
        self._running: dict[str, _Started] = {}
        self.outcome = RunOutcome()

    def run(self) -> RunOutcome:
        """Runs wave after wave until nothing is ready, or something stops the run."""
        with ThreadPoolExecutor(self._options.concurrency, thread_name_prefix="nyl-slot") as pool:
            while not self._stopping and (wave := self._ready()):
                self._run_wave(wave, pool)
        return self.outcome

    def resolve_again(self, snapshot: StateSnapshot) -> None:
        """Resolves over a newer reading of the state. Own results stay where their keys do; other units run again."""
        self._ledger = self._ledger.overlay(snapshot)
        self._resolver.rebase(self._ledger)
        for name, ended in list(self.outcome.ended.items()):
            outdated = self._resolver.resolutions[name].key != ended.execution_key
            if outdated and isinstance(ended.outcome, Succeeded):
                del self.outcome.ended[name]

    @property
    def _stopping(self) -> bool:
        outcome = self.outcome
        return outcome.cancelled or outcome.stopped_by is not None or outcome.interruption is not None

    def _ready(self) -> list[str]:
        only = self._options.only
        return sorted(
            name
            for name, resolution in self._resolver.resolutions.items()
            if resolution.standing is Standing.READY
            and name not in self.outcome.ended
            and (only is None or name in only)
        )

    def _run_wave(self, wave: Sequence[str], pool: ThreadPoolExecutor) -> None:
        done = len(self.outcome.ended)
        self._listener(WaveStarted(self.facts.environment, len(wave), done, len(self._units)))
        waiting = deque(wave)
        while (waiting and not self._stopping) or self._running:
            finished = self._drain(wait=not self._room(waiting))
            self.outcome.cancelled = self._cancellation.cancelled
            starting = [waiting.popleft() for _ in range(self._room(waiting))]
            self._push_and_start(finished, starting, pool)
        self._resolver.renew(name for name in wave if name in self.outcome.ended)

    def _room(self, waiting: Sized) -> int:
        if self._stopping:
            return 0
        return min(len(waiting), self._options.concurrency - len(self._running))

    def _drain(self, *, wait: bool) -> list[Ended]:
        """What has finished by now; with `wait` at least one, unless the run is cancelled meanwhile."""
        found: list[Ended] = []
        while wait and self._running and not found and not self._newly_cancelled:
            with suppress(queue.Empty):
                found.append(self._finished.get(timeout=_CANCEL_POLL_SECONDS))
        while not self._finished.empty():
            found.append(self._finished.get())
        for ended in found:
            self._record_end(ended)
        return found

    @property
    def _newly_cancelled(self) -> bool:
        return self._cancellation.cancelled and not self.outcome.cancelled

    def _record_end(self, ended: Ended) -> None:
        del self._running[ended.unit]
        self.outcome.ended[ended.unit] = ended
        self._ledger.results[ended.unit] = ended.checkpoint
        harmless = ended.result in (Result.EXECUTED, Result.RECOVERED)
        if self._options.fail_fast and not harmless and self.outcome.stopped_by is None:
            self.outcome.stopped_by = ended.unit

    def _push_and_start(self, finished: Sequence[Ended], names: Sequence[str], pool: ThreadPoolExecutor) -> None:
        starting = {name: self._start_record(name) for name in names}
        if not finished and not starting:
            return
        self.outcome.unrecorded.update({each.unit: each.checkpoint for each in finished})
        batch = Batch({each.unit: each.checkpoint for each in finished}, starting, self._deadline(names))
        try:
            holds = self._session.checkpoint(batch)
        except NylError as error:
            self.outcome.interruption = self.outcome.interruption or error.about(environment=self.facts.environment)
            return
        self.outcome.unrecorded.clear()
        self._ledger.holds.update(holds)
        for name, document in starting.items():
            if name in holds:
                self._resolver.renew([name])
            else:
                self._start(self._units[name], document, pool)

    def _deadline(self, names: Sequence[str]) -> Instant | None:
        longest = max((self._units[name].rendered.timeout for name in names), default=None)
        return None if longest is None else self._clock.now() + longest + self._options.grace

    def _start_record(self, name: str) -> DesiredUnit:
        return desired_document(
            self.facts,
            self._units[name],
            self._resolver.resolutions[name],
            self._ledger.desired_of(name),
        )

    def _start(self, unit: CheckedUnit, document: DesiredUnit, pool: ThreadPoolExecutor) -> None:
        decision = self._resolver.resolutions[unit.name].decision
        started = _Started(
            unit, document, decision.reason, decision.recovering, self._clock.now(), self._clock.monotonic()
        )
        self._ledger.desired[unit.name] = document
        self._running[unit.name] = started
        if unit.name not in self.outcome.dispatched:
            self.outcome.dispatched.append(unit.name)
        self._listener(UnitStarted(self.facts.environment, unit.name, decision.reason))
        pool.submit(self._work, started)

    def _work(self, started: _Started) -> None:
        try:
            outcome = self._execute(started.unit, started.document)
        except Exception as error:  # a unit that may have started must never be taken for one that did not
            outcome = Uncertain(f"nyl failed while the unit ran: {error}")
        ended = self._ended(started, outcome)
        self._listener(
            UnitEnded(self.facts.environment, ended.unit, ended.result, ended.seconds, _failure_reason(outcome))
        )
        self._finished.put(ended)

    def _ended(self, started: _Started, outcome: Outcome) -> Ended:
        now = self._clock.now()
        name = started.unit.name
        if isinstance(outcome, Succeeded):
            checkpoint = receipt_checkpoint(self.facts, started.unit, started.document, outcome, started.at, now)
            result = Result.RECOVERED if started.recovering else Result.EXECUTED
        else:
            recorded = self._ledger.snapshot.observed.get(name)
            checkpoint = condition_checkpoint(self.facts, started.document, outcome, recorded, now)
            result = Result.UNCERTAIN if isinstance(outcome, Uncertain) else Result.FAILED
        seconds = self._clock.monotonic() - started.tick
        key = started.document.execution_key
        return Ended(name, result, checkpoint, started.reason, key, outcome, seconds)


def _failure_reason(outcome: Outcome) -> str:
    if isinstance(outcome, Succeeded):
        return ""
    return outcome.reason if isinstance(outcome, Uncertain) else outcome.message
