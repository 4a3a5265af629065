"""The errors of working on the local copy of a state, each with what the reader can do about it."""

import shlex

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.state.lease import Claim, LeaseStanding
from nyl.state.refs import StateRefs


def checked_out(refs: StateRefs, ref: str, tree: str) -> NylError:
    """A state ref is a branch that a working tree is at."""
    return NylError(
        Code.PUSH_REFUSED,
        f"{ref} is checked out in {tree}: were the state of {refs.environment} written, the files there would look "
        "changed. Nothing was run.",
        f"leave the branch with `git -C {shlex.quote(tree)} switch --detach`, and run this command again",
        environment=refs.environment,
    )


def not_copied(refs: StateRefs, where: str) -> NylError:
    """There is nothing to work on without the remote."""
    environment = refs.environment
    return NylError(
        Code.STATE_MISSING,
        f"The state of {environment} was never read or initialised in {where}.",
        "read it once without --local, while the remote can be reached, or begin a state here with "
        f"`nyl state init -e {environment} --local`",
        environment=environment,
    )


def unpublished(refs: StateRefs, remote: str, ahead: tuple[str, ...], runs: tuple[str, ...]) -> NylError:
    """The local copy of a state holds what the remote lacks: state refs with commits, and runs."""
    environment = refs.environment
    commits = [f"commits on {' and '.join(ahead)}"] if ahead else []
    results = [f"what run {' and run '.join(runs)} recorded"] if runs else []
    return NylError(
        Code.STATE_UNPUBLISHED,
        f"The local copy of the state of {environment} holds work that {remote} lacks: "
        f"{' and '.join((*commits, *results))}.",
        f"publish it with `nyl state publish -e {environment}`, drop it with `nyl state reset -e {environment} "
        "--reason <text>`, or go on with it: add --local to this command",
        environment=environment,
    )


def local_run_in_the_way(refs: StateRefs, claim: Claim) -> NylError:
    """A run on the local copy of a state may be alive, or had its lease broken and is not imported."""
    environment, holder = refs.environment, claim.holder
    if holder is None:
        raise ValueError("a free lease is in nobody's way")
    who = f"run {holder.run} ({holder.operation}) by {holder.runner}"
    if claim.standing is not LeaseStanding.HELD:
        return NylError(
            Code.LEASE_BROKEN,
            f"a lease on the local copy of {environment} was broken, and what was left by {who} is not imported yet",
            f"run `nyl recover -e {environment} --local` to import it, then run this command again",
            environment=environment,
        )
    return NylError(
        Code.LEASE_HELD,
        f"the local copy of {environment} is held by {who}, until {holder.deadline.iso_offset()}",
        f"wait for that run to finish, or, if it is gone, run `nyl lease break -e {environment} --local --reason "
        f"<text>` and `nyl recover -e {environment} --local`",
        environment=environment,
    )


def remote_moved(refs: StateRefs, ref: str, tip: str, remote: str) -> NylError:
    """A remote's state has commits that the local work does not build on."""
    environment = refs.environment
    return NylError(
        Code.STATE_UNPUBLISHED,
        f"{ref} moved to {tip} at {remote} since the local work on {environment} began, so that the two cannot be "
        "joined. Nothing was published.",
        f"see what was done here with `nyl history -e {environment} --local`, then drop it with `nyl state reset "
        f"-e {environment} --reason <text>`, which tells what ran and keeps the commits; put a hold on each unit that "
        "must not run again before you reconcile",
        environment=environment,
    )


def drops_other_work(refs: StateRefs, shared: tuple[str, ...], others: tuple[str, ...]) -> NylError:
    """Local commits of other environments lie on a ref that is to be reset."""
    names = (refs.environment, *others)
    return NylError(
        Code.STATE_IN_USE,
        f"{' and '.join(shared)} also holds local work of {' and '.join(others)}, which would go with that of "
        f"{refs.environment}. Nothing was dropped.",
        f"publish it with `nyl state publish -e {refs.environment}`, or drop it all with `nyl state reset "
        f"{' '.join(f'-e {each}' for each in names)} --reason <text>`",
        environment=refs.environment,
    )
