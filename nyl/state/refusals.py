"""The errors of the state store, each with what the reader can do about it."""

from collections.abc import Mapping
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.obstacles import obstacle
from nyl.git.updates import PushResult, RefStatus, RefStore
from nyl.state.by_hand import move_command
from nyl.state.coordination import Sighting
from nyl.state.lease import Claim, Holder, LeaseStanding
from nyl.state.refs import StateRefs
from nyl.state.snapshot import RunRef


def state_missing(refs: StateRefs, what: str) -> NylError:
    """Nothing was initialised at the configured place; `what` completes "The state of dev …"."""
    environment = refs.environment
    return NylError(
        Code.STATE_MISSING,
        f"The state of {environment} {what}.",
        f"run `nyl state init -e {environment}` once, or correct spec.state of the Environment",
        environment=environment,
    )


def state_moved(refs: StateRefs, moved: Mapping[str, Any]) -> NylError:
    """The state went to another place; `moved` is the marker that it left: `to`, `at` and `by`."""
    environment, to = refs.environment, moved.get("to")
    place = to if isinstance(to, dict) else {}
    where = ", ".join(f"{name} {value}" for name, value in place.items()) or "a place that the marker does not name"
    return NylError(
        Code.STATE_MOVED,
        f"The state of {environment} was moved away by {moved.get('by', 'somebody')} at "
        f"{moved.get('at', 'some time')}. It is at: {where}.",
        f"work at a revision of the project whose Environment {environment} has spec.state there; to begin a new state "
        f"here instead, run `nyl state init -e {environment} --fresh`",
        environment=environment,
    )


def given_up(environment: str, operation: str) -> NylError:
    """The operation was cancelled before it wrote anything."""
    return NylError(
        Code.RUN_CANCELLED,
        f"The {operation} of {environment} was cancelled before it wrote anything; it holds no lease.",
        "run the command again",
        environment=environment,
    )


def wait_given_up(refs: StateRefs) -> NylError:
    """The operation was cancelled while it waited for the lease."""
    return NylError(
        Code.RUN_CANCELLED,
        f"The run of {refs.environment} was cancelled while it waited for the lease; it changed nothing.",
        f"see who holds it with `nyl lease show -e {refs.environment}`, then run the command again",
        environment=refs.environment,
    )


class Occupied(NylError):
    """Another run holds the environment, or left something that must be imported first.

    `holder` is that run; `held` says that it may be alive. `sighting` is where everything was when this was found.
    """

    def __init__(self, sighting: Sighting, claim: Claim, holder: Holder, code: Code, message: str, fix: str) -> None:
        super().__init__(code, message, fix, environment=sighting.refs.environment)
        self.sighting = sighting
        self.holder = holder
        self.held = claim.standing is LeaseStanding.HELD


def in_the_way(sighting: Sighting, claim: Claim) -> Occupied:
    """The error for an environment that cannot be taken now."""
    refs = sighting.refs
    environment, holder = refs.environment, claim.holder
    if holder is None:
        raise ValueError("a free lease is in nobody's way")
    who = f"run {holder.run} ({holder.operation}) by {holder.runner}"
    if claim.standing is LeaseStanding.HELD:
        return Occupied(
            sighting,
            claim,
            holder,
            Code.LEASE_HELD,
            f"{environment} is held by {who}, until {holder.deadline.iso_offset()}",
            "wait for that run to finish, pass --wait-lease <duration>, or run `nyl lease break` if its runner is gone",
        )
    fix = (
        f"run `nyl recover -e {environment}` to import it (a `nyl reconcile` or `nyl teardown` of {environment} "
        "imports it too), then run this command again"
    )
    if claim.standing is LeaseStanding.BROKEN:
        return Occupied(
            sighting,
            claim,
            holder,
            Code.LEASE_BROKEN,
            f"the lease of {environment} was broken and its run {holder.run} has not been imported yet",
            fix,
        )
    expired = claim.standing is LeaseStanding.EXPIRED
    ended = f"passed its deadline {holder.deadline.iso_offset()}" if expired else "ended without a transition commit"
    return Occupied(
        sighting,
        claim,
        holder,
        Code.RUN_UNIMPORTED,
        f"{who} {ended} and has not been imported yet; nothing of {environment} is changed until then",
        fix,
    )


def push_refused(refs: StateRefs, result: PushResult, remote: str) -> NylError:
    """A remote does not let a ref be written, for a reason that trying again does not change."""
    ref, reason = _culprit(refs, result)
    lines = (line.strip() for line in (reason, *result.text.splitlines()))
    said = "; ".join(dict.fromkeys(line for line in lines if line)).rstrip(".")
    why, fix = _explained(refs, ref, result)
    return NylError(
        Code.PUSH_REFUSED,
        f"{remote} refused to update {ref} of {refs.environment}{f' and said: {said}.' if said else '.'} "
        f"Nothing of this push was written. {why}",
        fix,
        environment=refs.environment,
    )


def _explained(refs: StateRefs, ref: str, result: PushResult) -> tuple[str, str]:
    """Why a ref was refused, as far as anybody can tell, and what to do."""
    met = obstacle(result)
    if met is not None:
        return met.why, f"{_OTHER_REPOSITORY if met.of_repository else _ELSEWHERE}, or {met.fix}"
    if not result.answered:
        return _UNREACHED, _UNREACHED_FIX
    if refs.is_coordination(ref):
        return _COORDINATION_RULE, _COORDINATION_FIX.format(pattern=refs.patterns_shown)
    return _BRANCH_RULE, _BRANCH_FIX.format(ref=ref)


_ELSEWHERE = (
    "give the state another place with spec.state of the Environment (repositoryRef; desiredRef and observedRef; "
    "coordinationRefPrefix)"
)
_OTHER_REPOSITORY = "give the state another repository with spec.state.repositoryRef of the Environment"
_UNREACHED = (
    "The repository can be read, but no push reaches it: most likely the credentials may only read, or the push URL is "
    "wrong."
)
_UNREACHED_FIX = (
    "let the credentials of this runner write (`contents: write` in GitHub Actions, a deploy key with write access), "
    "and check `git remote get-url --push origin`, or publishURL of the GitRepository"
)
_COORDINATION_RULE = (
    "The host may take only branches and tags, or a rule forbids to create, update or delete such refs."
)
_COORDINATION_FIX = (
    "let this runner create, update and delete {pattern} (`contents: write` in GitHub Actions), or set "
    "spec.state.coordinationRefPrefix of the Environment to refs/heads/nyl-run if the host takes only branches"
)
_BRANCH_RULE = "Most likely a branch protection rule or ruleset covers it, or the token has no write permission."
_BRANCH_FIX = (
    "let this runner push to {ref} (a bypass of the rule; `contents: write` in GitHub Actions), or set "
    "spec.state.desiredRef and observedRef of the Environment to branches that no rule covers"
)


def _culprit(refs: StateRefs, result: PushResult) -> tuple[str, str]:
    """The ref to name, and what was said of it. Texts only choose what is shown here, never what is done."""
    refused = [ref for ref, status in result.statuses.items() if status in (RefStatus.REFUSED, RefStatus.OUTPACED)]
    own = [ref for ref in refused if "atomic" not in result.reasons.get(ref, "")]
    ref = next(iter(own or refused), refs.lease)
    return ref, result.reasons.get(ref, "")


def coordination_hidden(refs: StateRefs) -> NylError:
    """The remote took the lease and does not show it: what other runs hold cannot be seen either."""
    return NylError(
        Code.PUSH_REFUSED,
        f"The remote accepted {refs.lease} but does not show it: it hides refs below {refs.patterns_shown}, or "
        "pushes go to another repository than it is read from, so runs could not see each other's leases. No unit was "
        "run.",
        "let the host show these refs (uploadpack.hideRefs, transfer.hideRefs), or set "
        "spec.state.coordinationRefPrefix of the Environment to refs/heads/nyl-run; a push URL (`git remote get-url "
        "--push origin`, publishURL of a GitRepository) must lead to the same repository",
        environment=refs.environment,
    )


def lease_lost(refs: StateRefs, run: str, saved: bool) -> NylError:
    """The run no longer holds its lease."""
    kept = f"; what its units did is on {refs.run(run)} for the next run to import" if saved else ""
    return NylError(
        Code.LEASE_LOST,
        f"run {run} no longer holds the lease of {refs.environment}; it wrote nothing to the state refs{kept}",
        f"look at what holds {refs.environment} now with `nyl status -e {refs.environment}`; the next run imports "
        "what this one recorded",
        environment=refs.environment,
    )


def contended(refs: StateRefs, tries: int) -> NylError:
    """Other writers of a shared ref, or of the lease, were faster every time."""
    return NylError(
        Code.STATE_CONTENDED,
        f"Other writers moved {', '.join(refs.state)} or {refs.lease} {tries} times while {refs.environment} wanted to "
        "write.",
        "run the command again; environments that often run at once are better kept on refs of their own",
        environment=refs.environment,
    )


def diverged(refs: StateRefs, remote: RefStore, ref: str, seen: str, now: str | None) -> NylError:
    """A state ref lost commits that it had."""
    found = f"is at {now}, which does not contain {seen}," if now else f"is gone although it was at {seen}"
    return NylError(
        Code.STATE_DIVERGED,
        f"{ref} {found} where this clone saw it last: the history of the state of {refs.environment} was rewritten.",
        f"bring the lost commits back with `{move_command(remote, ref, seen, now)}`; if the rewriting was meant, "
        "forget what was seen with "
        "`git for-each-ref --format='delete %(refname)' refs/nyl-seen/ | git update-ref --stdin`",
        environment=refs.environment,
    )


def foreign_run(refs: StateRefs, found: RunRef) -> NylError:
    """A dead run that is to be imported worked on another state than that of the environment."""
    run, environment = found.record, refs.environment
    where = ", ".join(f"{name} {value}" for name, value in run.location.items())
    return NylError(
        Code.RUN_FOREIGN,
        f"Run {run.run} by {run.runner} left results on {refs.run(run.run)}, and worked on another state than that of "
        f"this project: {where}. Nothing of it is imported.",
        f"run `nyl recover -e {environment}` in the project whose Environment {environment} has spec.state there, "
        "which imports it, and give one of the two Environments a spec.state.coordinationRefPrefix of its own; where "
        "that project is gone, such a prefix here is enough, and the results stay where they are",
        environment=environment,
    )
