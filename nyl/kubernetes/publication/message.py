"""The message of a commit that publishes a tree."""

from collections.abc import Mapping, Sequence

from nyl.core.counts import counted
from nyl.kubernetes.tree import RenderedTree
from nyl.kubernetes.tree_changes import TreeChanges


def publication_message(tree: RenderedTree, changes: TreeChanges, version: str) -> str:
    """A headline with target and source commit, the counts, and trailers for programs."""
    target, source = tree.target.name, tree.commit or "none"
    counts = {
        "added": len(changes.added),
        "changed": len(changes.changed),
        "removed": len(changes.removed),
        "restored": len(changes.edits),
    }
    told = ", ".join(f"{count} {what}" for what, count in counts.items() if count) or "only the index changed"
    trailers = {"Nyl-Target": target, "Nyl-Source-Commit": source, "Nyl-Version": version}
    headline = f"nyl: publish {target} at {source[:12]}"
    body = f"{counted(len(changes.files), 'file')} of {counted(tree.releases, 'Release')}: {told}"
    return with_trailers([headline, "", body], trailers)


def with_trailers(lines: Sequence[str], trailers: Mapping[str, str]) -> str:
    """A message of some lines, with trailers after them."""
    return "\n".join([*lines, "", *(f"{name}: {value}" for name, value in trailers.items())]) + "\n"
