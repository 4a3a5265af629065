"""The bytes of the files of a compiled tree: those just rendered, and those in the cache, which are read when asked."""

from collections.abc import Callable, Collection, Mapping

from nyl.core.dataclass import dataclass
from nyl.kubernetes.rendered_releases import RenderedRelease


@dataclass(frozen=True)
class ReleaseBytes:
    """The files of one Release below its folder, and how to have their bytes, one after the other."""

    folder: str
    release: RenderedRelease
    read: Callable[[], bytes]


class CompiledContents:
    """Finds the bytes of files. Those of Releases come from the cache, or are rendered again where it lost them."""

    def __init__(self, others: Mapping[str, bytes], releases: Collection[ReleaseBytes]) -> None:
        """`others` are the files that are of no Release's bundle."""
        self._others = others
        self._releases = {each.folder: each for each in releases}

    def read_many(self, paths: Collection[str]) -> Mapping[str, bytes]:
        """The bytes of some files of the tree. Raises KeyError for what is none of them."""
        found: dict[str, bytes] = {}
        wanted: dict[str, list[str]] = {}
        for path in paths:
            if path in self._others:
                found[path] = self._others[path]
            else:
                wanted.setdefault(self._folder_of(path), []).append(path)
        for folder, some in wanted.items():
            found.update(self._of_release(self._releases[folder], some))
        return found

    def _folder_of(self, path: str) -> str:
        folder = path
        while folder := folder.rpartition("/")[0]:
            if folder in self._releases:
                return folder
        raise KeyError(path)

    @staticmethod
    def _of_release(of: ReleaseBytes, paths: Collection[str]) -> dict[str, bytes]:
        data, at = of.read(), 0
        places = {}
        for path, size in zip(of.release.files, of.release.sizes, strict=True):
            places[f"{of.folder}/{path}"] = (at, at + size)
            at += size
        return {path: data[slice(*places[path])] for path in paths}
