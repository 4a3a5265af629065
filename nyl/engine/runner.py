"""The wave loop: starts ready units, checkpoints what ends, resolves again, until nothing is ready.

Follows the section Waves of the Runs page and the section Lease and run of the state format: nothing starts before its
start record is pushed, and while a push is under way finished units gather for the next.
"""

import math
from collections import deque
from collections.abc import Collection, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from datetime import timedelta

from nyl.core.clock import Clock, Instant
from nyl.core.diagnostics import NylError
from nyl.engine.dispatch import Dispatcher, Executor
from nyl.engine.events import Listener, WaveStarted
from nyl.engine.ledger import Ledger
from nyl.engine.lookahead import PATIENCE, Lookahead
from nyl.engine.outcomes import Ended, RunOutcome, Started
from nyl.engine.preflight import CheckedUnit
from nyl.engine.recording import RunFacts, condition_checkpoint, desired_document, receipt_checkpoint
from nyl.engine.resolution import Resolver
from nyl.engine.results import Result
from nyl.state.changes import Batch
from nyl.state.documents import Checkpoint, DesiredUnit
from nyl.state.lifecycles import Hold
from nyl.state.session import Session
from nyl.state.snapshot import StateSnapshot
from nyl.units.cancellation import CancellationToken
from nyl.units.driver import Succeeded


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
        self._lookahead = Lookahead(options.concurrency)
        self._withdrawn: set[str] = set()
        self.outcome = RunOutcome()

    def run(self) -> RunOutcome:
        """Runs wave after wave until nothing is ready, or something stops the run."""
        if not self._ready():
            return self.outcome
        with Dispatcher(self._execute, self._options.concurrency, self._clock, self._listener) as dispatcher:
            while not self._stopping and (wave := self._ready()):
                self._run_wave(wave, dispatcher)
        return self.outcome

    def resolve_again(self, snapshot: StateSnapshot) -> None:
        """Resolves over a newer reading of the state. Own results stay where their keys do; other units run again."""
        self._ledger = self._ledger.overlay(snapshot)
        self._resolver.rebase(self._ledger)
        for name, ended in list(self.outcome.ended.items()):
            outdated = self._resolver.resolutions[name].key != ended.started.document.execution_key
            if outdated and isinstance(ended.outcome, Succeeded):
                del self.outcome.ended[name]

    @property
    def _stopping(self) -> bool:
        outcome = self.outcome
        return (
            outcome.cancelled or outcome.expired or outcome.stopped_by is not None or outcome.interruption is not None
        )

    def _ready(self) -> list[str]:
        return [name for name in self._resolver.ready(self._options.only) if name not in self.outcome.ended]

    def _run_wave(self, wave: Sequence[str], dispatcher: Dispatcher) -> None:
        done = len(self.outcome.ended)
        self._listener(WaveStarted(self.facts.environment, len(wave), done, len(self._units)))
        waiting = deque(wave)
        while (waiting and not self._stopping) or dispatcher.pending or self._withdrawn:
            wait = not self._room(waiting, dispatcher)
            patience = PATIENCE if dispatcher.pending > self._options.concurrency else math.inf
            ended = dispatcher.ended(self._cancellation, wait=wait, linger=self._lookahead.linger, patience=patience)
            self._take_ended(ended)
            self.outcome.expired = self.outcome.expired or self._clock.now() > self._session.lease.deadline
            if self._stopping:
                self._withdraw(dispatcher)
            elif wait and not ended and patience < math.inf:
                self._lookahead.close()
                waiting.extendleft(sorted(self._withdraw(dispatcher), reverse=True))
            self._lookahead.observe(dispatcher.pending, len(waiting))
            starting = [waiting.popleft() for _ in range(self._room(waiting, dispatcher))]
            self._push_and_start(starting, dispatcher)
        self._resolver.renew(name for name in wave if name in self.outcome.ended)

    def _room(self, waiting: Sized, dispatcher: Dispatcher) -> int:
        if self._stopping:
            return 0
        return max(0, min(len(waiting), self._lookahead.window - dispatcher.pending))

    def _withdraw(self, dispatcher: Dispatcher, names: Collection[str] | None = None) -> frozenset[str]:
        """Takes back units that were recorded ahead and wait for a slot: those of `names`, or all. Says which."""
        back = dispatcher.withdraw(names)
        for name in back:
            self._withdrawn.add(name)
            self.outcome.dispatched.remove(name)
            del self._ledger.desired[name]
        return back

    def _take_ended(self, found: Sequence[Ended]) -> None:
        self.outcome.cancelled = self._cancellation.cancelled
        for ended in found:
            self.outcome.ended[ended.unit] = ended
            self.outcome.unrecorded[ended.unit] = self._checkpoint(ended)
            self._ledger.results[ended.unit] = self.outcome.unrecorded[ended.unit]
            harmless = ended.result in (Result.EXECUTED, Result.RECOVERED)
            if self._options.fail_fast and not harmless and self.outcome.stopped_by is None:
                self.outcome.stopped_by = ended.unit

    def _checkpoint(self, ended: Ended) -> Checkpoint:
        unit, document, outcome = ended.started.unit, ended.started.document, ended.outcome
        if isinstance(outcome, Succeeded):
            return receipt_checkpoint(self.facts, unit, document, outcome, ended.began_at, ended.ended_at)
        before = self._ledger.results.get(unit.name)
        recorded = self._ledger.observed_of(unit.name)
        condition = condition_checkpoint(self.facts, document, outcome, recorded, ended.ended_at)
        return replace(condition, artifacts=before.artifacts) if before else condition

    def _push_and_start(self, names: Sequence[str], dispatcher: Dispatcher) -> None:
        starting = {name: self._start_record(name) for name in names}
        if not (self.outcome.unrecorded or self._withdrawn or starting):
            return
        deadline = self._deadline(names, dispatcher.pending)
        batch = Batch(dict(self.outcome.unrecorded), starting, deadline, frozenset(self._withdrawn))
        self._withdrawn.clear()
        before = self._clock.monotonic()
        try:
            holds = self._session.checkpoint(batch)
        except NylError as error:
            self.outcome.interruption = self.outcome.interruption or error.about(environment=self.facts.environment)
            return
        self._lookahead.pushed(self._clock.monotonic() - before)
        self.outcome.unrecorded.clear()
        self._take_holds(holds, dispatcher)
        for name, document in starting.items():
            if name in holds:
                self._resolver.renew([name])
            else:
                self._start(name, document, dispatcher)

    def _take_holds(self, holds: Mapping[str, Hold], dispatcher: Dispatcher) -> None:
        new = holds.keys() - self._ledger.holds.keys()
        self._ledger.holds.update(holds)
        if new:
            self._withdraw(dispatcher, new)
            self._resolver.renew(new & self._withdrawn)

    def _deadline(self, names: Sequence[str], pending: int) -> Instant | None:
        """When the slowest of what starts must be over, even where it waits for a slot first."""
        if not names:
            return None
        longest = max(self._units[name].rendered.timeout for name in names)
        turns = -(-(pending + len(names)) // self._options.concurrency)
        return self._clock.now() + longest * turns + self._options.grace

    def _start_record(self, name: str) -> DesiredUnit:
        return desired_document(
            self.facts,
            self._units[name],
            self._resolver.resolutions[name],
            self._ledger.desired_of(name),
        )

    def _start(self, name: str, document: DesiredUnit, dispatcher: Dispatcher) -> None:
        decision = self._resolver.resolutions[name].decision
        self._ledger.desired[name] = document
        if name not in self.outcome.dispatched:
            self.outcome.dispatched.append(name)
        dispatcher.start(Started(self.facts.environment, self._units[name], document, decision))
