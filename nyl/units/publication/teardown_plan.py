"""What a teardown of a publication would remove: for people, and as a digest that an approval can bind to."""

from collections.abc import Iterator, Sequence

from nyl.core.canonical import digest
from nyl.core.counts import counted
from nyl.core.durations import format_duration
from nyl.units.outcomes import Planned
from nyl.units.publication.standing_tree import StandingTree
from nyl.units.publication.waiting import WaitPolicy, WaitStrategy

_SHOWN = 100
"""Things of one sort that are named."""


def planned_teardown(environment: str, tree: StandingTree, policy: WaitPolicy) -> Planned:
    """The removal of a tree. The digest is about the files alone: how long it waits between its phases is neutral."""
    publication = tree.target.publication
    facts = {
        "environment": environment,
        "target": tree.target.name,
        "repository": publication.repository.url if publication.repository else None,
        "branch": publication.revision,
        "prefix": publication.prefix,
        "removed": dict(tree.index.files),
    }
    return Planned("\n".join([*_lines(tree, policy), ""]), digest(facts))


def no_teardown(environment: str, target: str) -> Planned:
    """The removal of a tree that is not there."""
    return Planned("", digest({"environment": environment, "target": target, "removed": {}}))


def _lines(tree: StandingTree, policy: WaitPolicy) -> Iterator[str]:
    rest = len(tree.index.files) - len({each.path for each in tree.children})
    yield f"remove the tree of DeploymentTarget {tree.target.name} from {tree.place}:"
    yield f"  phase one: {counted(len(tree.children), 'Application')}"
    yield from _named("-", [str(each) for each in tree.children])
    yield f"  then it waits {_until(policy)}"
    yield f"  phase two: the other {counted(rest, 'file')}, and the index"
    if tree.edits:
        yield f"{counted(len(tree.edits), 'file')} edited outside nyl, which keep it from starting:"
        yield from _named("!", [str(each) for each in tree.edits])


def _until(policy: WaitPolicy) -> str:
    match policy.strategy:
        case WaitStrategy.DELAY if policy.duration is not None:
            return f"for {format_duration(policy.duration)}"
        case WaitStrategy.OBSERVE:
            return "until they are gone from the cluster of Argo CD"
        case _:
            return "for --confirm-removed"


def _named(sign: str, what: Sequence[str]) -> Iterator[str]:
    yield from (f"    {sign} {each}" for each in what[:_SHOWN])
    if len(what) > _SHOWN:
        yield f"    {sign} … and {len(what) - _SHOWN} more"
