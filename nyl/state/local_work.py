"""Work that was done on the local copy of a state and that its remote lacks.

Looking for it costs a few file reads where there is none: no Git process and no round trip.
"""

from collections.abc import Mapping
from dataclasses import field

from nyl.core.dataclass import dataclass
from nyl.git.ancestry import is_ancestor
from nyl.git.ref_files import refs_below, refs_named
from nyl.git.repository import Repository
from nyl.state.access import StateAccess
from nyl.state.coordination import Sighting
from nyl.state.coordination_documents import Lease
from nyl.state.lease import Claim, LeaseStanding, breaks_of, claim
from nyl.state.local_refusals import local_run_in_the_way, unpublished
from nyl.state.refs import RunRefKind, StateRefs
from nyl.state.snapshot import RunRef


@dataclass(frozen=True)
class LocalWork:
    """What the repository itself holds of an environment beyond what its remote has."""

    sighting: Sighting
    """Every ref of the environment in the repository itself."""
    ahead: Mapping[str, str] = field(default_factory=dict)
    """The state refs with commits that the remote lacks, and where they are."""
    claim: Claim | None = None
    """How the runs here stand; None where there are neither lease nor runs."""
    lease: Lease | None = None
    runs: Mapping[str, RunRef] = field(default_factory=dict)
    """The runs that no transition holds, alive or not."""

    @property
    def is_nothing(self) -> bool:
        """Whether the remote has everything."""
        return not self.ahead and not self.runs


def local_sighting(repository: Repository, refs: StateRefs) -> Sighting:
    """Every ref of an environment that the repository itself has, whoever made it."""
    folder = refs.coordination_folder
    coordination = {f"{folder}/{name}": commit for name, commit in refs_below(repository, folder).items()}
    own = {ref: commit for ref, commit in coordination.items() if refs.is_own(ref)}
    return Sighting(refs, {**refs_named(repository, refs.state), **own})


def local_work(access: StateAccess, tips: Mapping[str, str]) -> LocalWork:
    """What the local copy holds beyond these commits of the remote's state refs. `access` is the remote's."""
    sighting = local_sighting(access.repository, access.refs)
    if not sighting.commits:
        return LocalWork(sighting)
    ahead = {}
    for ref in access.refs.state:
        commit, tip = sighting.at(ref), tips.get(ref)
        if commit is not None and commit != tip and not (tip and is_ancestor(access.repository, commit, [tip])):
            ahead[ref] = commit
    if sighting.lease is None and not sighting.of_runs(RunRefKind.RUNS):
        return LocalWork(sighting, ahead)
    runs = access.coordination.runs(sighting, {})
    lease = access.lease(sighting)
    found = claim(lease, runs, access.clock.now(), frozenset(sighting.of_runs(RunRefKind.SIGNALS)))
    left = runs.keys() - found.stale_runs if found.standing is LeaseStanding.HELD else found.dead_runs
    return LocalWork(sighting, ahead, found, lease, {run: runs[run] for run in left if run in runs})


def check_published(access: StateAccess) -> None:
    """Raises NYL-STATE-UNPUBLISHED where the local copy holds work that the remote lacks.

    Asks the remote only when what was seen of it last does not have everything.
    """
    if local_work(access, access.seen.seen()).is_nothing:
        return
    found = access.look()
    access.seen.check(found.commits)
    work = local_work(access, found.commits)
    if not work.is_nothing:
        raise unpublished(access.refs, access.remote.description, tuple(work.ahead), tuple(work.runs))


def check_ended(refs: StateRefs, work: LocalWork) -> None:
    """Raises NYL-LEASE-HELD while a run here may be alive, which would go on writing, and NYL-LEASE-BROKEN for a run
    whose break only an import here can record."""
    if work.claim is not None and (work.claim.standing is LeaseStanding.HELD or breaks_of(work.lease)):
        raise local_run_in_the_way(refs, work.claim)


def commits_beyond(repository: Repository, tips: Mapping[str, str], known: Mapping[str, str]) -> list[str]:
    """The commits of some refs, without archived inputs, that are not in what is known; newest first."""
    if not tips:
        return []
    listing = repository.checked("rev-list", "--first-parent", *dict.fromkeys(tips.values()), "--not", *known.values())
    return listing.decode().split()
