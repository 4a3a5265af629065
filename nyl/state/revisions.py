"""State as of a commit: which two commits of the state refs belong together."""

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.state.access import StateAccess
from nyl.state.coordination import Sighting
from nyl.state.history import transitions
from nyl.state.snapshot import StateSnapshot
from nyl.state.transitions import READ_DESIRED, READ_OBSERVED, parse_transition


def read_at(access: StateAccess, sighting: Sighting, revision: str) -> StateSnapshot:
    """The state after the transition whose commit, on either state ref, a revision names.

    Raises NYL-SOURCE-MISSING when it names no commit of a state ref.
    """
    commit = access.repository.resolve(revision)
    sides = [ref for ref in access.refs.state if commit and _is_on(access, sighting, ref, commit)]
    if commit is None or not sides:
        raise NylError(
            Code.SOURCE_MISSING,
            f"{revision} names no commit of {' or '.join(access.refs.state)}.",
            f"name a commit that `nyl history -e {access.refs.environment}` lists",
            environment=access.refs.environment,
        )
    if len(sides) == len(access.refs.state):
        return _snapshot(access, commit, commit)
    if sides[0] == access.refs.desired:
        return _snapshot(access, commit, _beside(access, sighting, commit, access.refs.observed, READ_OBSERVED))
    return _snapshot(access, _beside(access, sighting, commit, access.refs.desired, READ_DESIRED), commit)


def _is_on(access: StateAccess, sighting: Sighting, ref: str, commit: str) -> bool:
    tip = sighting.at(ref)
    return tip is not None and access.seen.contains(tip, commit)


def _beside(access: StateAccess, sighting: Sighting, commit: str, ref: str, read: str) -> str:
    """The commit of the other state ref after a transition: the one of the same run, else the one that it read."""
    own = parse_transition(access.message(commit))
    for entry in transitions(access, sighting.at(ref) or ""):
        if entry.record.run == own.run and own.run is not None:
            return entry.commit
    return own.trailers.get(read) or commit


def _snapshot(access: StateAccess, desired: str, observed: str) -> StateSnapshot:
    return access.snapshot_at(desired, observed, f"at or before {desired}")
