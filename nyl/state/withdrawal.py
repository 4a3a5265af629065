"""Letting go of a lease that led to nothing: what of the own refs goes, and when a broken lease comes back."""

from collections.abc import Mapping

from nyl.core.diagnostics import NylError
from nyl.core.ids import new_nonce
from nyl.git.updates import RefUpdate
from nyl.state.access import StateAccess
from nyl.state.lease import holder_of, put_back
from nyl.state.positions import Position
from nyl.state.snapshot import RunRef
from nyl.state.writing import Committer


def lease_after(
    access: StateAccess, committer: Committer, position: Position, runs: Mapping[str, RunRef]
) -> str | None:
    """Where the lease ref goes when its holder ends without a transition; None when it goes away.

    Breaks that the holder took over are not recorded then, so the broken lease comes back: only whoever records them
    may go on. `runs` are the dead runs, whose records tell whose lease it was.
    """
    lease = position.lease
    if not lease.taken_over:
        return None
    broken = runs.get(lease.taken_over[-1].run)
    back = put_back(lease, holder_of(broken.record) if broken else None, new_nonce())
    (commit,) = access.writer.write([committer.lease(back, (position.lease_commit,))])
    return commit


def withdraw(access: StateAccess, committer: Committer, position: Position, runs: Mapping[str, RunRef]) -> None:
    """Takes back the own refs, which hold nothing. A push that fails is tried once more, without the signals ref."""
    refs, run = access.refs, position.run.run
    updates = [RefUpdate(refs.lease, lease_after(access, committer, position, runs), position.lease_commit)]
    if position.run_commit is not None:
        updates.append(RefUpdate(refs.run(run), None, position.run_commit))
    signals = [RefUpdate(refs.signals(run), None, position.signals_commit)] if position.signals_commit else []
    if not access.push([*updates, *signals], "withdrawal").accepted and signals:
        access.push(updates, "withdrawal")


def withdraw_quietly(access: StateAccess, committer: Committer, position: Position, runs: Mapping[str, RunRef]) -> None:
    """The same for a run that does not go on because of another error, which is the one to report."""
    try:
        withdraw(access, committer, position, runs)
    except NylError:
        return
