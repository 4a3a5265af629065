"""Where the environments of some trees keep their state, however broken the trees are."""

from collections.abc import Iterable, Iterator

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.project.config import ProjectConfig
from nyl.project.discovery import Discovery
from nyl.project.trees import SourceTree
from nyl.state.refs import StateRefs

_SUFFIXES = (".yaml", ".yml", ".json")
_FIELDS = (b"desiredRef", b"observedRef", b"coordinationRefPrefix")


@dataclass(frozen=True)
class DeclaringTree:
    """A tree whose files may declare environments, and how it is read."""

    tree: SourceTree
    config: ProjectConfig
    discovery: Discovery


class DeclaredStates:
    """Finds the refs of environments that have others than the default ones.

    A file that names none of the fields that choose refs is not parsed, and one that was looked at is not read again.
    """

    def __init__(self) -> None:
        self._ordinary: set[str] = set()

    def of(self, declaring: Iterable[DeclaringTree]) -> tuple[StateRefs, ...]:
        """The refs of the environments of some trees."""
        return tuple(dict.fromkeys(found for each in declaring for found in self._of(each)))

    def _of(self, declaring: DeclaringTree) -> Iterator[StateRefs]:
        try:
            if self._chooses(declaring.tree):
                for each in declaring.discovery.environments(declaring.tree, declaring.config):
                    yield StateRefs(each.name, each.state)
        except NylError:
            return  # a file that cannot be read declares nothing

    def _chooses(self, tree: SourceTree) -> bool:
        files = tree.files(_SUFFIXES)
        unseen = {path: identity for path, identity in files.items() if identity not in self._ordinary}
        contents = tree.read_many(unseen) if unseen else {}
        choosing = {path for path, data in contents.items() if any(each in data for each in _FIELDS)}
        self._ordinary.update(identity for path, identity in unseen.items() if path not in choosing)
        return bool(choosing)
