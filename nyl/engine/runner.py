"""The wave loop: starts ready units, checkpoints what ends, resolves again, until nothing is ready.

Follows the section Waves of the Runs page and the section Lease and run of the state format: nothing starts before its
start record is pushed, and while a push is under way finished units gather for the next.
"""

import math
from collections import deque
from collections.abc import Collection, Mapping, Sequence, Sized
from datetime import timedelta

from nyl.core.cancellation import CancellationToken
from nyl.core.clock import Clock, Instant
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.engine.agenda import Agenda
from nyl.engine.audit import approvals_of
from nyl.engine.dispatch import Dispatcher
from nyl.engine.events import Listener, WaveStarted
from nyl.engine.lookahead import PATIENCE, Lookahead
from nyl.engine.outcomes import Ended, RunOutcome, Started
from nyl.engine.recording import RunFacts
from nyl.state.changes import Batch
from nyl.state.documents import DesiredUnit, ObservedUnit
from nyl.state.lifecycles import Hold
from nyl.state.session import Session
from nyl.units.outcomes import AwaitingApproval, Failed, Uncertain, Unknown, Waiting


@dataclass(frozen=True)
class RunOptions:
    """How a run goes about its units."""

    concurrency: int
    grace: timedelta
    fail_fast: bool = False


@dataclass(frozen=True)
class Services:
    """What a run speaks to, and what it hears from."""

    clock: Clock
    listener: Listener
    cancellation: CancellationToken


@dataclass(frozen=True)
class _Shift:
    """An agenda, and the slots that its units work in."""

    agenda: Agenda
    dispatcher: Dispatcher


class Runner:
    """One environment's run over a session that holds the lease. It works through one agenda after the other."""

    def __init__(self, session: Session, facts: RunFacts, options: RunOptions, services: Services) -> None:
        self.facts = facts
        self._session = session
        self._options = options
        self._clock = services.clock
        self._listener = services.listener
        self._cancellation = services.cancellation
        self._lookahead = Lookahead(options.concurrency)
        self._withdrawn: set[str] = set()
        self._before: dict[str, DesiredUnit | None] = {}
        self.outcome = RunOutcome()

    def run(self, agenda: Agenda) -> RunOutcome:
        """Runs wave after wave until nothing is ready, or something stops the run."""
        if self._stopping or not agenda.ready(self.outcome.ended):
            return self.outcome
        with Dispatcher(self._options.concurrency, self._clock, self._listener) as dispatcher:
            while not self._stopping and (wave := agenda.ready(self.outcome.ended)):
                self._run_wave(wave, _Shift(agenda, dispatcher))
        return self.outcome

    @property
    def _stopping(self) -> bool:
        outcome = self.outcome
        return (
            outcome.cancelled or outcome.expired or outcome.stopped_by is not None or outcome.interruption is not None
        )

    def _run_wave(self, wave: Sequence[str], shift: _Shift) -> None:
        done, dispatcher = self.outcome.ended, shift.dispatcher
        self._listener(WaveStarted(self.facts.environment, len(wave), len(done), shift.agenda.total(done)))
        waiting = deque(wave)
        while (waiting and not self._stopping) or dispatcher.pending or self._withdrawn:
            wait = not self._room(waiting, dispatcher)
            patience = PATIENCE if dispatcher.pending > self._options.concurrency else math.inf
            ended = dispatcher.ended(self._cancellation, wait=wait, linger=self._lookahead.linger, patience=patience)
            self._take_ended(ended, shift.agenda)
            self.outcome.expired = self.outcome.expired or self._clock.now() > self._session.lease.deadline
            if self._stopping:
                self._withdraw(shift)
            elif wait and not ended and patience < math.inf:
                self._lookahead.close()
                waiting.extendleft(sorted(self._withdraw(shift), key=wave.index, reverse=True))
            self._lookahead.observe(dispatcher.pending, len(waiting))
            starting = [waiting.popleft() for _ in range(self._room(waiting, dispatcher))]
            self._push_and_start(starting, shift)
        shift.agenda.renew(name for name in wave if name in self.outcome.ended)

    def _room(self, waiting: Sized, dispatcher: Dispatcher) -> int:
        if self._stopping:
            return 0
        return max(0, min(len(waiting), self._lookahead.window - dispatcher.pending))

    def _withdraw(self, shift: _Shift, names: Collection[str] | None = None) -> frozenset[str]:
        """Takes back units that were recorded ahead and wait for a slot: those of `names`, or all. Says which."""
        back = shift.dispatcher.withdraw(names)
        for name in back:
            self._take_back(name, shift.agenda)
        return back

    def _take_back(self, name: str, agenda: Agenda) -> None:
        """Leaves a unit whose start was recorded as one that did not start."""
        self._withdrawn.add(name)
        self.outcome.dispatched.remove(name)
        before = self._before[name]
        if before is None:
            del agenda.ledger.desired[name]
        else:
            agenda.ledger.desired[name] = before

    def _await_approval(self, name: str, digest: str, agenda: Agenda) -> None:
        """Notes that a driver did nothing, because what it would change is not what was approved."""
        self._take_back(name, agenda)
        agenda.ledger.replanned[name] = digest
        agenda.renew([name])
        if self._options.fail_fast and self.outcome.stopped_by is None:
            self.outcome.stopped_by = name

    def _take_ended(self, found: Sequence[Ended], agenda: Agenda) -> None:
        self.outcome.cancelled = self._cancellation.cancelled
        for ended in found:
            if isinstance(ended.outcome, AwaitingApproval):
                self._await_approval(ended.unit, ended.outcome.digest, agenda)
                continue
            if not _goes_on(ended, agenda.ledger.observed_of(ended.unit)):
                self.outcome.ended[ended.unit] = ended
            self.outcome.unrecorded[ended.unit] = agenda.checkpoint(ended)
            agenda.ledger.results[ended.unit] = self.outcome.unrecorded[ended.unit]
            harmful = isinstance(ended.outcome, Failed | Uncertain | Unknown)
            if self._options.fail_fast and harmful and self.outcome.stopped_by is None:
                self.outcome.stopped_by = ended.unit

    def _push_and_start(self, names: Sequence[str], shift: _Shift) -> None:
        starting = {name: shift.agenda.begin(name) for name in names}
        if not (self.outcome.unrecorded or self._withdrawn or starting):
            return
        deadline = self._deadline(starting.values(), shift.dispatcher.pending)
        records = {name: each.document for name, each in starting.items()}
        approvals = approvals_of(self.facts, {name: each.decision for name, each in starting.items()})
        batch = Batch(dict(self.outcome.unrecorded), records, deadline, frozenset(self._withdrawn), approvals)
        self._withdrawn.clear()
        before = self._clock.monotonic()
        try:
            holds = self._session.checkpoint(batch)
        except NylError as error:
            self.outcome.interruption = self.outcome.interruption or error.about(environment=self.facts.environment)
            return
        self._lookahead.pushed(self._clock.monotonic() - before)
        self.outcome.unrecorded.clear()
        self._take_holds(holds, shift)
        for name, started in starting.items():
            if name in holds:
                shift.agenda.renew([name])
            else:
                self._start(started, shift)

    def _take_holds(self, holds: Mapping[str, Hold], shift: _Shift) -> None:
        known = shift.agenda.ledger.holds
        new = holds.keys() - known.keys()
        known.update(holds)
        if new:
            self._withdraw(shift, new)
            shift.agenda.renew(new & self._withdrawn)

    def _deadline(self, starting: Collection[Started], pending: int) -> Instant | None:
        """When the slowest of what starts must be over, even where it waits for a slot first."""
        if not starting:
            return None
        longest = max(each.unit.rendered.timeout for each in starting)
        turns = -(-(pending + len(starting)) // self._options.concurrency)
        return self._clock.now() + longest * turns + self._options.grace

    def _start(self, started: Started, shift: _Shift) -> None:
        name, desired = started.unit.name, shift.agenda.ledger.desired
        self._before[name] = desired.get(name)
        desired[name] = started.document
        if name not in self.outcome.dispatched:
            self.outcome.dispatched.append(name)
        shift.dispatcher.start(started)


def _goes_on(ended: Ended, before: ObservedUnit | None) -> bool:
    """Whether a teardown that waits goes on in this run: only where it came further than it was."""
    outcome, wait = ended.outcome, before.teardown if before else None
    return isinstance(outcome, Waiting) and outcome.again and (wait is None or wait.progress != outcome.progress)
