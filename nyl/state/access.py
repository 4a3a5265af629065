"""Everything that reading and writing one environment's state goes through, in one value."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nyl.core import faults
from nyl.core.clock import Clock
from nyl.core.dataclass import dataclass
from nyl.git.commits import CommitWriter
from nyl.git.embedded import EmbeddedRemote
from nyl.git.process import WaitNotice
from nyl.git.repository import Repository
from nyl.git.updates import PushResult, RefStore, RefUpdate
from nyl.state.codec import Origin, corrupt
from nyl.state.coordination import CoordinationReader, Sighting
from nyl.state.coordination_documents import Lease
from nyl.state.lease import LeaseStanding, breaks_of, claim, dead_runs
from nyl.state.lifecycles import Hold
from nyl.state.local_refusals import checked_out, not_copied
from nyl.state.paths import StatePaths
from nyl.state.reading import DocumentReader
from nyl.state.refs import RunRefKind, StateRefs
from nyl.state.refusals import in_the_way, push_refused, state_missing, state_moved
from nyl.state.seen import SeenRefs
from nyl.state.snapshot import StateSnapshot

_CONFIRMATIONS = 2
"""How often in a row a refusal that no other writer explains is tried again: one may have been at it just then."""


@dataclass(frozen=True)
class StateAccess:
    """The remote, the readers and the writer of one environment's state."""

    repository: Repository
    remote: RefStore
    writer: CommitWriter
    documents: DocumentReader
    coordination: CoordinationReader
    seen: SeenRefs
    refs: StateRefs
    paths: StatePaths
    clock: Clock
    on_wait: WaitNotice
    is_local: bool = False
    """Whether the refs are the local copies of those of a remote, whose commits say so."""

    def look(self) -> Sighting:
        """One fetch: where every ref of the environment is now. A fault point follows."""
        sighting = Sighting(self.refs, self.remote.fetch(*self.refs.patterns))
        faults.point("after look")
        return sighting

    def push(self, updates: Sequence[RefUpdate], what: str) -> PushResult:
        """One atomic push. `what` names the fault points before and after it."""
        faults.point(f"before push of {what}")
        result = self.remote.push(updates)
        faults.point(f"after push of {what}")
        return result

    def check_refusals(self, refusals: int, result: PushResult) -> None:
        """Raises NYL-PUSH-REFUSED once a push was refused so often in a row that no other writer explains it.

        `refusals` were answered although nothing moved meanwhile; `result` is the last answer.
        """
        if refusals > _CONFIRMATIONS or (refusals and not result.answered):
            raise push_refused(self.refs, result, self.remote.description)

    def check_movable(self) -> None:
        """Raises NYL-PUSH-REFUSED where a state ref is a branch of this repository that is checked out."""
        if isinstance(self.remote, EmbeddedRemote):
            for ref, tree in self.remote.checked_out(self.refs.state).items():
                raise checked_out(self.refs, ref, str(tree))

    def lease(self, sighting: Sighting) -> Lease | None:
        """The lease at what one fetch found."""
        return self.coordination.lease(sighting.lease) if sighting.lease else None

    def check_unclaimed(self, sighting: Sighting) -> None:
        """For what takes no lease. Raises NYL-LEASE-HELD while somebody has it, and NYL-LEASE-BROKEN while a break of
        it is not recorded, or NYL-RUN-UNIMPORTED where whoever was to record it died."""
        lease = self.lease(sighting)
        found = claim(lease, {}, self.clock.now())
        if found.standing is LeaseStanding.HELD or breaks_of(lease):
            raise in_the_way(sighting, found)

    def snapshot(self, sighting: Sighting) -> StateSnapshot:
        """The state at what one fetch found, with whatever runs have on their refs.

        Raises NYL-STATE-MISSING, NYL-STATE-DIVERGED, NYL-STATE-CORRUPT and NYL-STATE-VERSION.
        """
        read = self.state(sighting)
        lease, runs = self.lease(sighting), self.coordination.runs(sighting, {})
        alive = runs.keys() - dead_runs(lease, runs, self.clock.now())
        holds = self.coordination.unrecorded_holds(sighting.of_runs(RunRefKind.SIGNALS), lease, alive)
        return replace(read, lease=lease, lease_commit=sighting.lease, runs=runs, dead_holds=merged(holds))

    def state(self, sighting: Sighting) -> StateSnapshot:
        """The state at what one fetch found, and the evidence refs, without lease and runs. Raises the same."""
        where = " and ".join(self.refs.state) + (f", folder {self.paths.path}" if self.paths.path else "")
        read = self.snapshot_at(*self.state_commits(sighting), f"on {where} of {self.remote.description}")
        self._check_desired(read)
        return replace(read, evidence=self.coordination.evidence(sighting))

    def snapshot_at(self, desired: str, observed: str, where: str) -> StateSnapshot:
        """The state that two commits hold, without lease and runs. Raises NYL-STATE-MISSING that names `where`."""
        documents = self.documents.state(desired, observed)
        if documents.record is None:
            self._check_halves(desired, observed)
            raise state_missing(self.refs, f"was never initialised {where}")
        if documents.record.moved is not None:
            raise state_moved(self.refs, documents.record.moved)
        return StateSnapshot(
            environment=self.refs.environment,
            desired_commit=desired,
            observed_commit=observed,
            record=documents.record,
            environment_record=documents.environment_record,
            desired=documents.desired,
            observed=documents.observed,
            observations=documents.observations,
        )

    def state_commits(self, sighting: Sighting) -> tuple[str, str]:
        """Where the state refs are. Raises NYL-STATE-MISSING and NYL-STATE-DIVERGED."""
        self.seen.check(sighting.commits)
        desired, observed = sighting.at(self.refs.desired), sighting.at(self.refs.observed)
        if desired is None or observed is None:
            if self.is_local:
                raise not_copied(self.refs, self.remote.description)
            raise state_missing(self.refs, self._absence(sighting))
        return desired, observed

    def holds(self, sighting: Sighting, run: str) -> dict[str, Hold]:
        """The holds that were sent to a run."""
        commit = sighting.of_runs(RunRefKind.SIGNALS).get(run)
        return self.coordination.holds(run, commit) if commit else {}

    def message(self, commit: str) -> str:
        """The message of a commit."""
        return self.repository.checked("log", "-1", "--format=%B", commit).decode(errors="replace")

    def changed_paths(self, before: str, after: str) -> list[str]:
        """The files that differ between two commits."""
        names = self.repository.checked("diff-tree", "-r", "-z", "--name-only", "--no-renames", before, after)
        return [each.decode(errors="surrogateescape") for each in names.split(b"\0") if each]

    def _check_halves(self, desired: str, observed: str) -> None:
        """Raises NYL-STATE-CORRUPT where one of the state refs was initialised and the other one lacks its record."""
        lacking = [each for each in (desired, observed) if self.documents.find(each, self.paths.state) is None]
        if len(lacking) == 1:
            raise corrupt(Origin(lacking[0], self.paths.state), "it is gone, and the other state ref still has it")

    def _check_desired(self, read: StateSnapshot) -> None:
        """Raises NYL-STATE-CORRUPT for a unit that was observed and is not desired: nobody would see that it leaves."""
        for unit in sorted(read.observed.keys() - read.desired.keys()):
            origin = Origin(read.desired_commit, self.paths.desired(unit))
            raise corrupt(origin, f"it is gone, and {self.paths.observed(unit)} still says how the unit ran")

    def _absence(self, sighting: Sighting) -> str:
        absent = [ref for ref in self.refs.state if sighting.at(ref) is None]
        if len(absent) == len(self.refs.state):
            return f"was never initialised at {self.remote.description}: it has no {' and no '.join(absent)}"
        return f"is incomplete at {self.remote.description}: {absent[0]} is gone"


def merged(holds: Mapping[str, Mapping[str, Hold]]) -> dict[str, Hold]:
    """The holds of several runs by unit; of two of one unit the later."""
    each = [item for sent in holds.values() for item in sent.items()]
    return dict(sorted(each, key=lambda item: item[1].at))
