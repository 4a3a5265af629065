"""A rendered tree beside what its index says is there: which files change, and the index that follows."""

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError, Problems
from nyl.core.enumerations import enumerated
from nyl.kubernetes.index import Index, IndexOwner, IndexPublication, same_tree
from nyl.kubernetes.layout import INDEX_PATH
from nyl.kubernetes.resources import DeploymentTarget
from nyl.kubernetes.tree import RenderedTree
from nyl.kubernetes.tree_changes import Present, TreeChanges, Wanted, tree_changes


@dataclass(frozen=True)
class TreeUpdate:
    """What is to be done about a tree. `place` is where, as messages name it."""

    place: str
    target: str
    changes: TreeChanges
    index: Index
    """The index afterwards: the old one where the tree is the same."""
    writes_index: bool
    """Whether that is not the index that is there."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing has to be written at all."""
        return self.changes.is_empty and not self.writes_index

    def check(self, *, force: bool) -> None:
        """Raises NYL-TREE-UNOWNED for files in the way, and NYL-TREE-EDITED for edited ones unless `force`."""
        problems = Problems()
        if self.changes.edits and not force:
            problems.add(_edited(self))
        if self.changes.obstacles:
            problems.add(_unowned(self))
        problems.raise_any()


def tree_update(
    tree: RenderedTree, found: Index | None, present: Present, place: str, owner: IndexOwner | None = None
) -> TreeUpdate:
    """What makes a rendered tree of what is there; `found` is the index there, `owner` who owns the tree afterwards.

    Raises NYL-TREE-FOREIGN where that is another target's.
    """
    target = tree.target
    if found is not None and found.target != target.name:
        raise foreign_tree(place, found.target, target)
    owned = found.files if found else {}
    changes = tree_changes(_wanted(tree), owned, present)
    index = _index(tree, changes, owner)
    is_same = found is not None and same_tree(found, index)
    return TreeUpdate(place, target.name, changes, found if found and is_same else index, not is_same)


def foreign_tree(place: str, owner: str, target: DeploymentTarget) -> NylError:
    """The error for a folder that holds the tree of another target."""
    return NylError(
        Code.TREE_FOREIGN,
        f"{place} belongs to the tree of DeploymentTarget {owner}, as its {INDEX_PATH} says, so {target.name} "
        f"({target.location}) cannot have its tree there.",
        f"give {target.name} a publication.pathPrefix of its own; where {owner} was renamed, remove its tree first",
        location=target.location,
    )


def _wanted(tree: RenderedTree) -> Wanted:
    digests = {path: facts.sha256 for path, facts in tree.files.items()}
    carried = frozenset(path for path, facts in tree.files.items() if facts.identity is None)
    return Wanted(digests, carried, tree.read_state, tree.suspended_state)


def _index(tree: RenderedTree, changes: TreeChanges, owner: IndexOwner | None) -> Index:
    publication = tree.target.publication
    repository = publication.repository.url if publication.repository else None
    return Index(
        tree.target.name,
        tree.cluster.name,
        IndexPublication(repository, publication.revision, publication.prefix),
        changes.files,
        tree.inputs,
        tree.commit,
        owner,
    )


def _edited(update: TreeUpdate) -> NylError:
    return NylError(
        Code.TREE_EDITED,
        f"Files that nyl owns in {update.place} are not as nyl left them: {enumerated(update.changes.edits)}.",
        "make the change in the source instead, and undo it there; --force writes these files as they are rendered",
    )


def _unowned(update: TreeUpdate) -> NylError:
    return NylError(
        Code.TREE_UNOWNED,
        f"The tree of {update.target} needs paths in {update.place} that hold files which nyl does not own: "
        f"{enumerated(update.changes.obstacles)}.",
        f"move these files elsewhere, or rename the resources or the group's outputPath; where nyl wrote them, restore "
        f"{INDEX_PATH}, which names what it owns",
    )
