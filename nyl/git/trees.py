"""The files of a tree, held compactly."""

import re
from bisect import bisect_left
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, ValuesView
from dataclasses import dataclass
from functools import cached_property

_END = re.compile(b"\0")
_FOLDER = b"40000"
_SUBMODULE = b"160000 "
_LINKS = (b"120000 ", _SUBMODULE)


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file of a tree: its mode as Git writes it, such as `100644`, and its object id."""

    mode: str
    oid: str

    @property
    def is_regular(self) -> bool:
        """Whether it is a file with content of its own."""
        return self.mode in ("100644", "100755")

    @property
    def is_symlink(self) -> bool:
        """Whether it is a symbolic link."""
        return self.mode == "120000"

    @property
    def is_submodule(self) -> bool:
        """Whether it is another repository's commit."""
        return self.mode == "160000"

    @property
    def is_executable(self) -> bool:
        """Whether it is a file with the executable bit."""
        return self.mode == "100755"


class TreeListing(Mapping[str, TreeEntry]):
    """The files of a tree by path, in Git's order.

    It keeps a listing, sorted by path, with `<mode> <oid>`, a tab, the path and a NUL for each file, and reads entries
    from it when asked: 50,000 files take about 5 MB.
    Names that are not UTF-8 are decoded with surrogates, as `os.fsdecode` does.
    """

    def __init__(self, listing: bytes, folder: str = "") -> None:
        self._listing = listing
        self._prefix = f"{folder}/" if folder else ""
        self._tab = listing.find(b"\t")
        self._starts = [0, *(match.end() for match in _END.finditer(listing))]
        self._starts.pop()

    def __len__(self) -> int:
        return len(self._starts)

    def __iter__(self) -> Iterator[str]:
        return (self._path(start) for start in self._starts)

    def __getitem__(self, path: str) -> TreeEntry:
        entry = self.find(path)
        if entry is None:
            raise KeyError(path)
        return entry

    def find(self, path: str) -> TreeEntry | None:
        """The entry of a path, or None."""
        if not path.startswith(self._prefix):
            return None
        start = self._index.get(path[len(self._prefix) :].encode(errors="surrogateescape"))
        return None if start is None else self._entry(start)

    @cached_property
    def has_links(self) -> bool:
        """Whether any file is a symbolic link or a submodule: what lies behind those is not in the tree."""
        return any(self._listing.startswith(mode) or b"\0" + mode in self._listing for mode in _LINKS)

    @cached_property
    def submodules(self) -> tuple[str, ...]:
        """The paths of the submodules, in order."""
        if not self.has_links:
            return ()
        return tuple(self._path(each) for each in self._starts if self._listing.startswith(_SUBMODULE, each))

    def items(self) -> ItemsView[str, TreeEntry]:
        """Paths and entries, in one pass."""
        return _Items(self)

    def values(self) -> ValuesView[TreeEntry]:
        """Entries, in one pass."""
        return _Values(self)

    def under(self, folder: str) -> Iterator[tuple[str, TreeEntry]]:
        """The files below a folder; all of them for the empty one."""
        prefix = f"{folder}/" if folder else ""
        for at in range(self._find(prefix) if prefix else 0, len(self._starts)):
            path = self._path(self._starts[at])
            if not path.startswith(prefix):
                break
            yield path, self._entry(self._starts[at])

    def ending_with(self, suffixes: Iterable[str]) -> Iterator[tuple[str, TreeEntry]]:
        """The files whose names end with one of some suffixes, without looking at the others; in no order."""
        for suffix in suffixes:
            wanted = suffix.encode() + b"\0"
            at = self._listing.find(wanted)
            while at >= 0:
                start = self._listing.rfind(b"\0", 0, at) + 1
                yield self._path(start), self._entry(start)
                at = self._listing.find(wanted, at + 1)

    def _find(self, path: str) -> int:
        wanted = path.removeprefix(self._prefix).encode(errors="surrogateescape")
        if not path.startswith(self._prefix):
            return len(self._starts)
        return bisect_left(self._starts, wanted, key=self._name)

    @cached_property
    def _index(self) -> dict[bytes, int]:
        skip = self._tab + 1
        names = (record[skip:] for record in self._listing.split(b"\0"))
        return dict(zip(names, self._starts, strict=False))

    def _name(self, start: int) -> bytes:
        # Modes of files and ids of one object format are all of one length, so every tab is at the same distance.
        return self._listing[start + self._tab + 1 : self._listing.index(b"\0", start)]

    def _path(self, start: int) -> str:
        return self._prefix + self._name(start).decode(errors="surrogateescape")

    def _entry(self, start: int) -> TreeEntry:
        mode, oid = self._listing[start : start + self._tab].decode().split(" ")
        return TreeEntry(mode, oid)


def list_tree(tree: str, read_many: Callable[[Iterable[str]], Mapping[str, bytes]], oid_size: int) -> bytes:
    """The files of a tree as a TreeListing keeps them, from tree objects that are read one level of folders at a time.

    `oid_size` is the number of bytes of an object id.
    """
    entry = re.compile(rb"([0-7]+) ([^\0]+)\0(.{%d})" % oid_size, re.DOTALL)
    folders: dict[str, bytes] = {}
    level = {tree}
    while level:
        read = read_many(level)
        folders.update(read)
        found = {each[2].hex() for data in read.values() for each in entry.findall(data) if each[0] == _FOLDER}
        level = found - folders.keys()
    return b"".join(_files(tree, b"", folders, entry))


def _files(tree: str, prefix: bytes, folders: Mapping[str, bytes], entry: re.Pattern[bytes]) -> Iterator[bytes]:
    for mode, name, oid in entry.findall(folders[tree]):
        if mode == _FOLDER:
            yield from _files(oid.hex(), prefix + name + b"/", folders, entry)
        else:
            yield b"%b %b\t%b%b\0" % (mode, oid.hex().encode(), prefix, name)


class _Items(ItemsView[str, TreeEntry]):
    _mapping: TreeListing

    def __iter__(self) -> Iterator[tuple[str, TreeEntry]]:
        return self._mapping.under("")


class _Values(ValuesView[TreeEntry]):
    _mapping: TreeListing

    def __iter__(self) -> Iterator[TreeEntry]:
        return (entry for _, entry in self._mapping.under(""))
