"""Writing a rendered tree into a folder, so that an interrupted writer can be followed by any other.

While files change, the next index lies beside the present one: a file that is as either of the two has it is as nyl
left it. It takes the place of the present index when everything is written.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from nyl.core.dataclass import dataclass
from nyl.core.faults import point
from nyl.kubernetes.index import Index, decode, encode
from nyl.kubernetes.layout import INDEX_PATH
from nyl.kubernetes.output_folder import OutputFolder
from nyl.kubernetes.tree import RenderedTree
from nyl.kubernetes.tree_changes import Present, settled
from nyl.kubernetes.tree_update import TreeUpdate, foreign_tree, tree_update

_PENDING = "_nyl/.pending.json"
_BATCH = 500
"""How many files are held in memory at once."""


@dataclass(frozen=True)
class _Found:
    index: Index | None
    """What is owned now, interrupted writers considered."""
    pending: bool
    files: dict[str, bool]


class OutputTree:
    """The tree of a target below an output folder."""

    def __init__(self, base: Path, prefix: str, on_wait: Callable[[str], None] = lambda text: None) -> None:
        self._folder = OutputFolder(base, prefix)
        self._on_wait = on_wait

    def preview(self, tree: RenderedTree) -> TreeUpdate:
        """What writing the tree would change. Raises NYL-TREE-INDEX, NYL-TREE-FOREIGN, NYL-PATH-REFUSED."""
        self._folder.check()
        return self._update(tree, self._look())

    def write(self, tree: RenderedTree, *, force: bool) -> TreeUpdate:
        """Writes what changed. Raises what `preview` raises, NYL-TREE-UNOWNED, and NYL-TREE-EDITED unless `force`."""
        self._folder.check()
        with self._folder.locked(self._on_wait):
            found = self._look()
            update = self._update(tree, found)
            update.check(force=force)
            if not update.is_empty:
                self._carry_out(tree, update, found)
            return update

    def _look(self) -> _Found:
        folder = self._folder
        files = folder.files()
        index, pending = (self._decoded(folder.read(each), each) for each in (INDEX_PATH, _PENDING))
        for own in (INDEX_PATH, _PENDING):
            files.pop(own, None)
        if pending is not None:
            index = self._settled(index, pending, files)
        return _Found(index, pending is not None, files)

    def _settled(self, index: Index | None, pending: Index, files: dict[str, bool]) -> Index:
        owned = index.files if index else {}
        digests = self._folder.digests(owned.keys() | pending.files.keys(), files)
        return replace(index or pending, files=settled(owned, pending.files, digests))

    def _decoded(self, data: bytes | None, path: str) -> Index | None:
        return None if data is None else decode(data, str(self._folder.path / path))

    def _update(self, tree: RenderedTree, found: _Found) -> TreeUpdate:
        for path in found.files:
            if path.endswith(f"/{INDEX_PATH}"):
                self._refuse_nested(path, tree)
        owned = found.index.files if found.index else {}
        digests = self._folder.digests(tree.files.keys() | owned.keys(), found.files)
        owner, present = found.index.owner if found.index else None, Present(found.files, digests)
        update = tree_update(tree, found.index, present, str(self._folder.path), owner)
        return replace(update, writes_index=True) if found.pending else update

    def _refuse_nested(self, path: str, tree: RenderedTree) -> None:
        nested = self._decoded(self._folder.read(path), path)
        if nested is not None and nested.target != tree.target.name:
            raise foreign_tree(str(self._folder.path / path.removesuffix(f"/{INDEX_PATH}")), nested.target, tree.target)

    def _carry_out(self, tree: RenderedTree, update: TreeUpdate, found: _Found) -> None:
        folder, changes = self._folder, update.changes
        if found.pending and found.index is not None:
            # Before a third generation begins, what two of them left is made one.
            folder.write(INDEX_PATH, encode(found.index))
            point("after settling the tree")
        folder.write(_PENDING, encode(update.index))
        point("after journal of the tree")
        # Removals first: on a disk that does not know case, a file that only changes its case would remove itself.
        folder.remove(changes.removed)
        point("after removals of the tree")
        for start in range(0, len(changes.written), _BATCH):
            for path, content in tree.contents.read_many(changes.written[start : start + _BATCH]).items():
                folder.write(path, content)
                point("after a file of the tree")
        folder.rename(_PENDING, INDEX_PATH)
        point("after index of the tree")
