"""Refs that only nyl writes, and that a push by hand must not change: state refs and those that coordinate runs."""

import re
from collections.abc import Iterable, Sequence

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.pushes import PushedRef
from nyl.git.urls import comparable_url
from nyl.project.repositories import spellings
from nyl.state.refs import StateRefs

ALLOWANCE = "NYL_ALLOW_STATE_PUSH"
"""The variable that lets such a push through when it is 1."""

_DEFAULT_STATE = re.compile(r"refs/heads/nyl/([^/]+)/(desired|observed)")
_DEFAULT_COORDINATION = "refs/nyl/"
_NAMED_BY_MIRRORING = ("refs/remotes/", "refs/nyl-")


def refusal(pushed: PushedRef, environments: Iterable[StateRefs]) -> NylError | None:
    """NYL-PUSH-OF-STATE for a push to a ref of an environment, or to one that an environment would have by default."""
    owner = owner_of(pushed.ref, environments)
    if owner is None:
        return None
    deed = "delete" if pushed.new is None else "create" if pushed.old is None else "change"
    return NylError(
        Code.PUSH_OF_STATE,
        f"The push would {deed} {pushed.ref}, {owner}, which nyl alone writes.",
        "leave it to nyl: `nyl state`, `nyl lease break` and `nyl recover` change such refs safely; "
        f"set {ALLOWANCE}=1 for this one push if it must be",
    )


def mirror_refusal(refs: Sequence[PushedRef]) -> NylError | None:
    """NYL-PUSH-OF-STATE for a push of every ref, which deletes the state that this clone has no branches of.

    Git tells hooks nothing of the refs that `git push --mirror` deletes. What gives it away is that it names this
    clone's own notes of remotes, which nobody pushes by name.
    """
    found = next((each.ref for each in refs if each.new is not None and each.ref.startswith(_NAMED_BY_MIRRORING)), None)
    if found is None:
        return None
    return NylError(
        Code.PUSH_OF_STATE,
        f"The push names {found}, as `git push --mirror` does, which also deletes every state ref that this clone "
        "has no branch of.",
        f"push all branches with `git push --all`, or some by name; set {ALLOWANCE}=1 for this one push if it must be",
    )


def may_live_at(environment: StateRefs, url: str) -> bool:
    """Whether an environment's state may be in the repository of a URL: it is there, or in the project's own."""
    place = environment.location.repository
    return place is None or comparable_url(url) in spellings(place, None)


def owner_of(ref: str, environments: Iterable[StateRefs]) -> str | None:
    """What a ref is to the state of some environments, or of one with its default places; None for any other ref."""
    for each in environments:
        if ref in each.state:
            return f"a state ref of {each.environment}"
        if each.is_coordination(ref):
            return f"a coordination ref of {each.environment}"
    found = _DEFAULT_STATE.fullmatch(ref)
    if found:
        return f"where the state of an environment {found[1]} lives"
    return "where runs are coordinated" if ref.startswith(_DEFAULT_COORDINATION) else None
