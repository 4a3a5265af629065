"""The branch that a target's tree is published to, as it was read: its head, and what lies below the prefix there."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.git.ancestry import is_ancestor
from nyl.git.objects import ObjectReader
from nyl.git.remotes import Remote
from nyl.git.trees import TreeEntry, TreeListing
from nyl.git.updates import RefStore
from nyl.kubernetes.index import Index, decode
from nyl.kubernetes.layout import INDEX_PATH
from nyl.kubernetes.tree import FileFacts
from nyl.kubernetes.tree_changes import NOT_A_FILE

_FILE = "100644"
_NO_FILES = TreeListing(b"")


@dataclass(frozen=True)
class BranchPlace:
    """Where a tree is published: a branch of a repository, and a folder of it."""

    refs: RefStore
    ref: str
    """The full name of the branch."""
    prefix: str
    """Without slashes at its ends; '' is the root."""

    @property
    def branch(self) -> str:
        """The branch without `refs/heads/`."""
        return self.ref.removeprefix("refs/heads/")

    def __str__(self) -> str:
        return f"{self.branch} of {self.refs.description}"


class PublishedFolder:
    """What lies below a prefix at one commit of a branch. Nothing is read before it is asked for.

    Paths are relative to the prefix. A branch or folder that does not exist holds no files.
    """

    def __init__(
        self, place: BranchPlace, reader: ObjectReader, commit: str | None, *, is_cached: bool = False
    ) -> None:
        self.place = place
        self.commit = commit
        """The head of the branch; None while there is no such branch, or none is known here."""
        self.is_cached = is_cached
        """Whether it is what was known here, without asking the remote."""
        self._reader = reader

    @cached_property
    def index(self) -> Index | None:
        """The ownership index; None where there is none. Raises NYL-TREE-INDEX for one that cannot be used."""
        data = self.read(INDEX_PATH)
        return None if data is None else decode(data, f"{self._full(INDEX_PATH)} on {self.place}")

    @cached_property
    def entries(self) -> "FolderEntries":
        """The files below the prefix. Raises NYL-PATH-REFUSED where a part of the prefix is a file or a symlink."""
        return FolderEntries(self._listing(), self.place.prefix)

    def read(self, path: str) -> bytes | None:
        """The content of a file; None where nothing is. Raises NYL-PATH-REFUSED for what is no regular file."""
        entry = self.entries.find(path)
        if entry is not None and entry.mode.startswith("100"):
            return self._reader.read(entry.oid)
        if entry is None and not any(each.startswith(f"{path}/") for each in self.entries):
            return None
        what = "a folder" if entry is None else "a symlink or a submodule"
        message = f"{self._full(path)} on {self.place} is {what}, and not a file."
        raise NylError(Code.PATH_REFUSED, message, "put a regular file there")

    def read_many(self, paths: Iterable[str]) -> dict[str, bytes]:
        """The contents of those files that are there; of a symlink where it leads to."""
        entries = ((path, self.entries.find(path)) for path in paths)
        oids = {path: entry.oid for path, entry in entries if entry is not None and not entry.is_submodule}
        found = self._reader.read_many(oids.values())
        return {path: found[oid] for path, oid in oids.items()}

    def digests(self, paths: Collection[str], expected: Mapping[str, FileFacts]) -> dict[str, str]:
        """The digests of those paths that are there. A file that is as expected is not read for that."""
        found: dict[str, str] = {}
        unknown: dict[str, str] = {}
        for path in paths:
            entry = self.entries.find(path)
            if entry is None:
                continue
            if entry.mode != _FILE:
                found[path] = NOT_A_FILE
            elif path in expected and entry.oid == expected[path].sha1_blob:
                found[path] = expected[path].sha256
            else:
                unknown[path] = entry.oid
        facts = self._reader.sha256_many(unknown.values())
        return found | {path: facts[oid].sha256 for path, oid in unknown.items()}

    def at(self, commit: str) -> "PublishedFolder | None":
        """The same folder at another commit; None where there is no such commit here."""
        known = self._reader.resolve(commit)
        return None if known is None else PublishedFolder(self.place, self._reader, known, is_cached=True)

    def read_above(self, folder: str, name: str) -> bytes | None:
        """The content of a file of a folder of the branch, from its root; None where there is no such file."""
        path = f"{folder}/{name}" if folder else name
        oid = self._reader.resolve(f"{self.commit}:{path}", "") if self.commit else None
        return self._reader.read(oid) if oid else None

    def _full(self, path: str) -> str:
        return f"{self.place.prefix}/{path}" if self.place.prefix else path

    def _listing(self) -> TreeListing:
        prefix, reader = self.place.prefix, self._reader
        if self.commit is None:
            return _NO_FILES
        if not prefix:
            return reader.tree(self.commit)
        for folder in _folders_down_to(prefix):
            oid = reader.resolve(f"{self.commit}:{folder}", "")
            if oid is None:
                return _NO_FILES
            if reader.resolve(oid, "^{tree}") is None:
                raise self._no_folder(folder)
        return reader.tree(self.commit, prefix)

    def _no_folder(self, folder: str) -> NylError:
        return NylError(
            Code.PATH_REFUSED,
            f"{folder} is no folder on {self.place}, so nothing can be published below {self.place.prefix}.",
            f"remove {folder} from the branch, or correct publication.pathPrefix of the target",
        )


class FolderEntries:
    """The files of a listing by their paths below a folder."""

    def __init__(self, listing: TreeListing, folder: str) -> None:
        self._listing = listing
        self._prefix = f"{folder}/" if folder else ""

    def __len__(self) -> int:
        return len(self._listing)

    def __iter__(self) -> Iterator[str]:
        skip = len(self._prefix)
        return (path[skip:] for path in self._listing)

    def find(self, path: str) -> TreeEntry | None:
        """The entry of a path, or None."""
        return self._listing.find(self._prefix + path)


def read_head(place: BranchPlace, reader: ObjectReader) -> PublishedFolder:
    """The branch as it is now, fetched. Raises NYL-REMOTE-UNAVAILABLE."""
    return PublishedFolder(place, reader, place.refs.fetch(place.ref).get(place.ref))


def cached_head(place: BranchPlace, reader: ObjectReader) -> PublishedFolder:
    """The branch as it was when it was fetched last, by nyl or by Git, without asking the remote."""
    if not isinstance(place.refs, Remote):
        return read_head(place, reader)
    tracking = place.refs.tracking_ref(place.ref)
    known = [reader.resolve(each) for each in (place.refs.kept_ref(place.ref), tracking) if each]
    commits = [each for each in known if each]
    newest = commits[-1] if len(commits) == 2 and is_ancestor(place.refs.repository, commits[0], commits[1:]) else None
    return PublishedFolder(place, reader, newest or next(iter(commits), None), is_cached=True)


def remember_head(place: BranchPlace, commit: str) -> None:
    """Keeps what was just published as the newest that is known here, so that it can be read without the remote."""
    if isinstance(place.refs, Remote):
        place.refs.repository.git("update-ref", place.refs.kept_ref(place.ref), commit)


def _folders_down_to(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[: count + 1]) for count in range(len(parts)))
