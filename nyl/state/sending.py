"""Sending a hold to a live run, which writes it: `nyl hold` while a run holds the environment."""

from nyl.git.config import Identity
from nyl.git.updates import RefStatus, RefUpdate
from nyl.state import codec
from nyl.state.access import StateAccess
from nyl.state.backoff import Backoff
from nyl.state.coordination import Sighting
from nyl.state.documents import LeaseState
from nyl.state.lease import is_live
from nyl.state.lifecycles import Hold
from nyl.state.paths import signal_hold
from nyl.state.record_codec import Signal
from nyl.state.refs import RunRefKind
from nyl.state.refusals import contended, push_refused
from nyl.state.writing import Committer

_TRIES = 10
"""How often a signal is written again because the ref moved meanwhile: others send holds too."""
_CONFIRMATIONS = 2
"""How often in a row a refusal that no other writer explains is tried again."""


def send_hold(access: StateAccess, run: str, unit: str, hold: Hold, identity: Identity) -> bool:
    """Puts a hold on a run's signals ref; whether the run is there to read it, or somebody took it already.

    Where the run is over, nothing stays behind, and the caller must record the hold itself. Three round trips.
    Raises NYL-PUSH-REFUSED, NYL-STATE-CONTENDED and what reading raises.
    """
    sending = _Sending(access, run, unit, hold, Committer(identity, access.clock.now()))
    return sending.send()


class _Sending:
    def __init__(self, access: StateAccess, run: str, unit: str, hold: Hold, committer: Committer) -> None:
        self._access = access
        self._run = run
        self._unit = unit
        self._hold = hold
        self._committer = committer
        self._ref = access.refs.signals(run)

    def send(self) -> bool:
        signal = Signal(self._access.refs.environment, self._unit, self._hold)
        content = codec.encode(codec.SIGNAL, signal)
        sighting, refusals, backoff = self._access.look(), 0, Backoff(self._access.clock)
        for _ in range(_TRIES):
            if not self._is_heard(sighting):
                return False
            before = sighting.at(self._ref)
            commit = self._write(content, before)
            result = self._access.push([RefUpdate(self._ref, commit, before)], "hold")
            sighting = self._access.look()
            if self._is_there(sighting):
                return self._is_heard(sighting) or not self._withdraw(sighting)
            if result.statuses.get(self._ref) is RefStatus.MOVED and result.accepted:
                return True  # it arrived, and whoever it was for has taken it
            refusals = 0 if sighting.at(self._ref) != before else refusals + 1
            if refusals > _CONFIRMATIONS or (refusals and not result.answered):
                raise push_refused(self._access.refs, result, self._access.remote.description)
            backoff.pause()
        raise contended(self._access.refs, _TRIES)

    def _is_heard(self, sighting: Sighting) -> bool:
        """Whether the run holds the environment and looks at its signals ref before it lets go."""
        coordination, commit = self._access.coordination, sighting.of_runs(RunRefKind.RUNS).get(self._run)
        if commit is None or sighting.lease is None:
            return False
        lease = coordination.lease(sighting.lease)
        holds = lease.run == self._run and lease.state is LeaseState.HELD
        return holds and is_live(coordination.run(self._run, commit).record, self._access.clock.now())

    def _is_there(self, sighting: Sighting) -> bool:
        return self._access.holds(sighting, self._run).get(self._unit) == self._hold

    def _withdraw(self, sighting: Sighting) -> bool:
        """Takes the hold back; False when somebody took it before that."""
        backoff = Backoff(self._access.clock)
        for _ in range(_TRIES):
            before = sighting.at(self._ref)
            if before is None or not self._is_there(sighting):
                return False
            commit = self._write(None, before)
            result = self._access.push([RefUpdate(self._ref, commit, before)], "hold")
            if result.statuses.get(self._ref) is RefStatus.MOVED and result.accepted:
                return True
            sighting = self._access.look()
            if sighting.at(self._ref) == commit:
                return True
            backoff.pause()
        raise contended(self._access.refs, _TRIES)

    def _write(self, content: bytes | None, before: str | None) -> str:
        told = "held" if content else "not held after all"
        message = f"nyl: {self._unit!r} is {told}\n"
        parents = (before,) if before else ()
        (commit,) = self._access.writer.write(
            [self._committer.spec(message, {signal_hold(self._unit): content}, parents)]
        )
        return commit
