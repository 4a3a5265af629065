"""The last push of a holder: the lease goes, or comes back broken, and the own refs go or stay for an importer."""

from collections.abc import Mapping
from dataclasses import field

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.git.updates import RefUpdate
from nyl.state.access import StateAccess
from nyl.state.consumption import Consumed
from nyl.state.coordination import Sighting
from nyl.state.lifecycles import Hold
from nyl.state.own_refs import OwnRefs
from nyl.state.positions import Grant, Position
from nyl.state.refusals import contended
from nyl.state.withdrawal import lease_after

_TRIES = 5
"""How often a push is built again because refs of this run moved."""


@dataclass(frozen=True)
class Released:
    """How letting go of the environment went.

    `late_holds` arrived after the run looked last. Where `ended` is False nothing was let go because of them: they
    belong in a transition of this run, which is released again afterwards. `trouble` is why refs were left behind,
    which hold nobody.
    """

    late_holds: Mapping[str, Hold] = field(default_factory=dict)
    trouble: NylError | None = None
    ended: bool = True


class Ending:
    """How one session ends. Once is enough."""

    def __init__(self, access: StateAccess, own: OwnRefs, grant: Grant) -> None:
        self._access = access
        self._own = own
        self._grant = grant
        self.landed = False
        """Whether a transition landed: then the lease holds nobody, whatever becomes of the refs."""
        self.consumed = Consumed()
        """What goes with the own refs."""
        self.told: Mapping[str, Hold] = {}
        """The holds that the transition which landed knew of."""
        self.done = False

    def leave(self) -> Released:
        """Lets go of everything, or of nothing where holds arrived that the run did not know."""
        seen = dict(self._own.holds)
        ended = self._end(self._own.position, None, keep_signals=False)
        return Released(_beyond(seen, self._own.holds), ended=ended)

    def abandon(self) -> Released:
        """Lets go of everything after a transition landed; holds that are not in it stay for the next importer."""
        self._end(self._own.position, None, keep_signals=bool(_beyond(self.told, self._own.holds)))
        return Released()

    def finish(self) -> Released:
        """Lets go of the lease; the run ref stays, marked finished, with the holds that were sent to the run."""
        last = self._own.finish()
        self._end(last, last.run_tip, keep_signals=bool(self._own.holds))
        return Released()

    def _end(self, last: Position, run_commit: str | None, keep_signals: bool) -> bool:
        """Whether the refs are where they should end. Not when they were left because of late holds."""
        own, refusals, sighting = self._own, 0, self._grant.sighting
        seen, leases = dict(own.holds), set[str | None]()
        for _ in range(_TRIES):
            lease = lease_after(self._access, own.committer, own.position, self._grant.runs)
            leases.add(lease)
            result = self._access.push(self._updates(lease, run_commit, keep_signals, sighting), "release")
            if own.proves(result):
                break
            sighting = self._access.look()
            if self._is_over(sighting, run_commit, leases):
                break
            refusals = 0 if own.catch_up(sighting) else refusals + 1
            if own.holds != seen and run_commit is None and not keep_signals:
                return False
            keep_signals = keep_signals or own.holds != seen
            self._access.check_refusals(refusals, result)
        else:
            raise contended(self._access.refs, _TRIES)
        own.adopt(last)
        self.done = True
        return True

    def _is_over(self, sighting: Sighting, run_commit: str | None, leases: set[str | None]) -> bool:
        """Whether a push was made although its answer was lost, or the next holder tidied after a landed run."""
        own, refs = self._own.position, self._access.refs
        if self.landed and sighting.lease != own.lease_commit:
            return True
        return sighting.lease in leases and sighting.at(refs.run(own.run.run)) == run_commit

    def _updates(
        self, lease: str | None, run_commit: str | None, keep_signals: bool, sighting: Sighting
    ) -> list[RefUpdate]:
        refs, at = self._access.refs, self._own.position
        updates = [RefUpdate(refs.lease, lease, at.lease_commit)]
        if at.run_commit is not None or run_commit is not None:
            updates.append(RefUpdate(refs.run(at.run.run), run_commit, at.run_commit))
        if at.signals_commit is not None and not keep_signals:
            updates.append(RefUpdate(refs.signals(at.run.run), None, at.signals_commit))
        return [*updates, *self.consumed.updates(sighting)]


def _beyond(known: Mapping[str, Hold], holds: Mapping[str, Hold]) -> dict[str, Hold]:
    return {unit: hold for unit, hold in holds.items() if known.get(unit) != hold}
