"""Sending a hold to a live run, which writes it: `nyl hold` while a run holds the environment."""

from collections.abc import Mapping

from nyl.git.config import Identity
from nyl.git.updates import RefStatus, RefUpdate
from nyl.state import codec
from nyl.state.access import StateAccess
from nyl.state.backoff import Backoff
from nyl.state.coordination import Sighting
from nyl.state.coordination_documents import LeaseState
from nyl.state.lease import is_live
from nyl.state.lifecycles import Hold
from nyl.state.paths import signal_hold
from nyl.state.record_codec import Signal
from nyl.state.refs import RunRefKind
from nyl.state.refusals import contended
from nyl.state.writing import Committer
from nyl.state.writing import FileChanges as Files

_TRIES = 10
"""How often a signal is written again because the ref moved meanwhile: others send holds too."""


def send_holds(
    access: StateAccess, run: str, holds: Mapping[str, Hold], identity: Identity, sighting: Sighting
) -> bool:
    """Puts holds, by unit, on a run's signals ref; whether the run is there to read them, or took them already.

    `sighting` is what was seen last. Where the run is over, nothing stays behind, and the caller must record the holds
    itself. Two round trips. Raises NYL-PUSH-REFUSED, NYL-STATE-CONTENDED and what reading raises.
    """
    sending = _Sending(access, run, holds, Committer(identity, access.clock.now()))
    return sending.send(sighting)


class _Sending:
    def __init__(self, access: StateAccess, run: str, holds: Mapping[str, Hold], committer: Committer) -> None:
        self._access = access
        self._run = run
        self._holds = dict(holds)
        self._committer = committer
        self._ref = access.refs.signals(run)

    def send(self, sighting: Sighting) -> bool:
        environment, refusals, backoff = self._access.refs.environment, 0, Backoff(self._access.clock)
        words: Files = {
            signal_hold(unit): codec.encode(codec.SIGNAL, Signal(environment, unit, hold))
            for unit, hold in self._holds.items()
        }
        for _ in range(_TRIES):
            if not self._is_heard(sighting):
                return False
            before = sighting.at(self._ref)
            commit = self._write(words, before)
            result = self._access.push([RefUpdate(self._ref, commit, before)], "hold")
            sighting = self._access.look()
            if self._is_there(sighting):
                return self._is_heard(sighting) or not self._withdraw(sighting)
            if result.statuses.get(self._ref) is RefStatus.MOVED and result.accepted:
                return True  # it arrived, and whoever it was for has taken it
            refusals = 0 if sighting.at(self._ref) != before else refusals + 1
            self._access.check_refusals(refusals, result)
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
        return self._holds.items() <= self._access.holds(sighting, self._run).items()

    def _withdraw(self, sighting: Sighting) -> bool:
        """Takes the hold back; False when somebody took it before that."""
        backoff = Backoff(self._access.clock)
        for _ in range(_TRIES):
            before = sighting.at(self._ref)
            if before is None or not self._is_there(sighting):
                return False
            commit = self._write({signal_hold(unit): None for unit in self._holds}, before)
            result = self._access.push([RefUpdate(self._ref, commit, before)], "hold")
            if result.statuses.get(self._ref) is RefStatus.MOVED and result.accepted:
                return True
            sighting = self._access.look()
            if sighting.at(self._ref) == commit:
                return True
            backoff.pause()
        raise contended(self._access.refs, _TRIES)

    def _write(self, files: Files, before: str | None) -> str:
        told = "held" if all(files.values()) else "not held after all"
        message = f"nyl: {', '.join(map(repr, self._holds))} {told}\n"
        parents = (before,) if before else ()
        (commit,) = self._access.writer.write([self._committer.spec(message, files, parents)])
        return commit
