"""What a publication would change of its branch: for people, and as a digest that an approval can bind to."""

from collections.abc import Iterator, Sequence

from nyl.core.canonical import digest
from nyl.core.counts import counted
from nyl.kubernetes.tree import RenderedTree
from nyl.kubernetes.tree_update import TreeUpdate
from nyl.units.outcomes import Planned

_SHOWN = 100
"""Files of one sort that are named."""


def planned_change(environment: str, tree: RenderedTree, update: TreeUpdate) -> Planned:
    """The change that an update makes. The digest is about the files alone: they are the same for every owner."""
    changes, publication = update.changes, tree.target.publication
    facts = {
        "environment": environment,
        "target": tree.target.name,
        "repository": publication.repository.url if publication.repository else None,
        "branch": publication.revision,
        "prefix": publication.prefix,
        "written": {path: tree.files[path].sha256 for path in changes.written},
        "removed": list(changes.removed),
    }
    return Planned("" if update.is_empty else "\n".join([*_lines(tree, update), ""]), digest(facts))


def _lines(tree: RenderedTree, update: TreeUpdate) -> Iterator[str]:
    changes = update.changes
    counts = {"added": len(changes.added), "changed": len(changes.changed), "removed": len(changes.removed)}
    told = ", ".join(f"{counted(count, 'file')} {what}" for what, count in counts.items() if count)
    yield f"publish DeploymentTarget {tree.target.name} to {update.place}: {told or 'only the index changes'}"
    yield from _named("+", changes.added)
    yield from _named("~", changes.changed)
    yield from _named("-", changes.removed)
    if changes.edits:
        yield f"{counted(len(changes.edits), 'file')} edited outside nyl:"
        yield from _named("!", [str(each) for each in changes.edits])
    if changes.obstacles:
        yield f"{counted(len(changes.obstacles), 'file')} in the way that nyl does not own:"
        yield from _named("!", [str(each) for each in changes.obstacles])


def _named(sign: str, paths: Sequence[str]) -> Iterator[str]:
    yield from (f"  {sign} {path}" for path in paths[:_SHOWN])
    if len(paths) > _SHOWN:
        yield f"  {sign} … and {len(paths) - _SHOWN} more"
