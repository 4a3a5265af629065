"""Bringing an environment's state with its history to another place: `nyl state move`."""

from collections.abc import Mapping

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.git.handing import hand_over
from nyl.git.updates import RefUpdate
from nyl.state import codec
from nyl.state.access import StateAccess
from nyl.state.coordination import Sighting
from nyl.state.documents import StateRecord
from nyl.state.initializing import check_free
from nyl.state.paths import DESIRED_ROLES, OBSERVED_ROLES, FileRole
from nyl.state.refusals import lease_lost, push_refused
from nyl.state.snapshot import StateSnapshot
from nyl.state.writing import Committer, FileChanges


@dataclass(frozen=True)
class Arrival:
    """The commit with which a state arrives at its new place: its record there, its message, its author."""

    record: StateRecord
    message: str
    committer: Committer


def copy_state(source: StateAccess, target: StateAccess, snapshot: StateSnapshot, arrival: Arrival) -> dict[str, str]:
    """Puts the state that a snapshot of `source` holds, with its history and evidence, onto the refs of `target`.

    Gives the state refs of the target. What an earlier attempt brought there is taken as it is; a copy of the source as
    it is now, or was before, makes room. The snapshot was read by whoever holds the lease of the source. Raises
    NYL-STATE-EXISTS when another state is there or both are the same place, however they are reached; NYL-LEASE-LOST
    when that can no longer be told; NYL-PUSH-REFUSED when it cannot be written.
    """
    _check_elsewhere(source, target, snapshot)
    sighting, refs = target.look(), target.refs
    copied = _is_copy(source, target, sighting, snapshot)
    if not copied:
        if _arrived(target, sighting, snapshot):
            return {ref: sighting.commits[ref] for ref in refs.state}
        check_free(target, sighting)
    evidence = {refs.evidence(run): ref.commit for run, ref in snapshot.evidence.items()}
    for commit in dict.fromkeys((snapshot.desired_commit, snapshot.observed_commit, *evidence.values())):
        hand_over(commit, source.repository, target.repository)
    before = {} if copied else sighting.commits
    commits = _write(source, target, before, snapshot, arrival)
    updates = [RefUpdate(ref, commit, sighting.at(ref)) for ref, commit in commits.items()]
    updates += [RefUpdate(ref, commit, sighting.at(ref)) for ref, commit in evidence.items()]
    result = target.push(updates, "moved state")
    if not result.accepted:
        now = target.look()
        if any(now.at(ref) != commit for ref, commit in commits.items()):
            raise push_refused(refs, result, target.remote.description)
    target.seen.remember(commits)
    return commits


def _check_elsewhere(source: StateAccess, target: StateAccess, snapshot: StateSnapshot) -> None:
    """Raises NYL-STATE-EXISTS where the target has the lease that was just taken at the source, for the same refs.

    No other place has it, whatever was copied there before. The marker of a move from refs to themselves would end the
    only state there is. Raises NYL-LEASE-LOST where the source does not have the lease any more.
    """
    refs, lease, held = target.refs, source.refs.lease, snapshot.lease_commit
    if set(refs.state).isdisjoint(source.refs.state):
        return
    if target.remote.list(lease).get(lease) != held:
        # The source is asked last: what has the lease still had it when the target had not.
        if source.remote.list(lease).get(lease) != held:
            raise lease_lost(source.refs, snapshot.lease.run if snapshot.lease else "", saved=False)
        return
    environment, where = refs.environment, f"{' and '.join(refs.state)} of {target.remote.description}"
    raise NylError(
        Code.STATE_EXISTS,
        f"The state of {environment} is where it is to be moved already: {where}.",
        f"set spec.state of the Environment {environment} to the new place, then run the command again; where that is "
        "another repository which mirrors this one, stop the mirroring first",
        environment=environment,
    )


def _is_copy(source: StateAccess, target: StateAccess, sighting: Sighting, snapshot: StateSnapshot) -> bool:
    """Whether the target's refs hold nothing but what the history of the source holds as well."""

    def holds(half: _Half) -> bool:
        tip = sighting.at(half.ref)
        if tip is None or source.repository.resolve(tip) is None:
            return False
        return source.seen.contains(half.commit, tip)

    return all(map(holds, _halves(target, snapshot)))


def _arrived(target: StateAccess, sighting: Sighting, snapshot: StateSnapshot) -> bool:
    """Whether the target's refs hold a state of the environment that continues exactly this history."""
    for half in _halves(target, snapshot):
        tip = sighting.at(half.ref)
        if tip is None or target.documents.find(tip, target.paths.state) is None:
            return False
        if target.repository.resolve(half.commit) is None or not target.seen.contains(tip, half.commit):
            return False
    return True


@dataclass(frozen=True)
class _Half:
    """One side of a state: the ref of the target that gets it, the commit it is at, and the files that belong to it."""

    ref: str
    commit: str
    roles: frozenset[FileRole]


def _halves(target: StateAccess, snapshot: StateSnapshot) -> tuple[_Half, _Half]:
    return (
        _Half(target.refs.desired, snapshot.desired_commit, DESIRED_ROLES),
        _Half(target.refs.observed, snapshot.observed_commit, OBSERVED_ROLES),
    )


def _write(
    source: StateAccess, target: StateAccess, tips: Mapping[str, str], snapshot: StateSnapshot, arrival: Arrival
) -> dict[str, str]:
    """The commits of the arrival, on top of what the target's refs hold at `tips`; a ref that has none begins."""
    specs = []
    for ref in target.refs.state:
        halves, before = [each for each in _halves(target, snapshot) if each.ref == ref], tips.get(ref)
        files = {path: content for half in halves for path, content in _files(source, target, half).items()}
        files[target.paths.state] = codec.encode(codec.STATE_RECORD, arrival.record)
        parents = tuple(dict.fromkeys([*([before] if before else []), *(half.commit for half in halves)]))
        specs.append(arrival.committer.spec(arrival.message, files, parents, from_nothing=before is None))
    return dict(zip(target.refs.state, target.writer.write(specs), strict=True))


def _files(source: StateAccess, target: StateAccess, half: _Half) -> FileChanges:
    """The files of one side, at the paths that they have in the target."""
    found: dict[str, str] = {}
    for path, entry in source.documents.tree(half.commit).items():
        file = source.paths.parse(path) if source.paths.owns(path) else None
        if file is not None and file.role in half.roles:
            found[_moved_path(source, target, path)] = entry.oid
    contents = source.documents.contents(found.values())
    return {path: contents[oid] for path, oid in found.items()}


def _moved_path(source: StateAccess, target: StateAccess, path: str) -> str:
    below = path.removeprefix(f"{source.paths.path}/") if source.paths.path else path
    return f"{target.paths.path}/{below}" if target.paths.path else below
