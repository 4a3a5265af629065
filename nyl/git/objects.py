"""Reads Git objects, and whole trees, through one lasting `git cat-file`."""

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import BinaryIO, TypeVar, cast

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.git.lfs import is_pointer
from nyl.git.process import stop
from nyl.git.promised import fetch_promised
from nyl.git.repository import Repository
from nyl.git.starting import Process
from nyl.git.trees import TreeListing, list_tree

_CHUNK = 1 << 20
_T = TypeVar("_T")


@dataclass(frozen=True)
class BlobFacts:
    """What is known of a blob after reading it once: `sha256` in hex, `size` in bytes."""

    sha256: str
    lfs_pointer: bool
    size: int


class ObjectReader:
    """Reads objects of one repository. Safe to use from several threads; close it when done."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._lock = threading.Lock()
        self._process: Process | None = None

    def __enter__(self) -> "ObjectReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, oid: str) -> bytes:
        """The content of one object. Raises NylError (NYL-GIT-FAILED) when the repository does not have it."""
        return self.read_many([oid])[oid]

    def read_many(self, oids: Iterable[str]) -> dict[str, bytes]:
        """The contents of some objects. Raises NylError (NYL-GIT-FAILED) when the repository lacks one."""
        return self._each(oids, _whole)

    def sha256_many(self, oids: Iterable[str]) -> dict[str, BlobFacts]:
        """Digest, size and whether it is a Git LFS pointer for some blobs, holding little of each in memory."""
        return self._each(oids, _facts)

    def exists(self, oid: str) -> bool:
        """Whether the repository has an object of that id."""
        return self.resolve(oid, "") is not None

    def resolve(self, revision: str, peel: str = "^{commit}") -> str | None:
        """The id of the commit that a revision names, or None; nothing is started for it."""
        if not revision or revision.startswith("-") or any(ord(each) < 32 for each in revision):
            return None
        with self._lock:
            return self._guarded(lambda stdin, stdout: _identify(stdin, stdout, revision + peel))

    def tree(self, commit: str, folder: str = "") -> TreeListing:
        """The files of a commit or tree, in or below a folder, by path from the root.

        Raises NylError (NYL-GIT-FAILED) when there is no such commit or folder.
        """
        tree = self.resolve(f"{commit}:{folder}", "") if folder else self.resolve(commit, "^{tree}")
        if tree is None:
            raise _failed(f"there is no {folder or 'tree'} in {commit}")
        listing = list_tree(tree, self.read_many, 32 if self._repository.object_format == "sha256" else 20)
        return TreeListing(listing, folder)

    def close(self) -> None:
        """Ends the lasting process. A later call starts another."""
        with self._lock:
            self._stop()

    def _each(self, oids: Iterable[str], consume: "Callable[[BinaryIO, int], _T]") -> dict[str, _T]:
        wanted = list(dict.fromkeys(oids))
        if not wanted:
            return {}
        if len(wanted) > 1:
            fetch_promised(self._repository, wanted)
        with self._lock:
            return self._guarded(lambda stdin, stdout: _pipelined(stdin, stdout, wanted, consume))

    def _guarded(self, use: "Callable[[BinaryIO, BinaryIO], _T]") -> _T:
        process = self._started()
        try:
            return use(cast(BinaryIO, process.stdin), cast(BinaryIO, process.stdout))
        except _ProcessEnded:
            # A process that ended in between, such as by a signal, is worth one more try.
            self._stop()
            process = self._started()
            try:
                return use(cast(BinaryIO, process.stdin), cast(BinaryIO, process.stdout))
            except _ProcessEnded as error:
                self._stop()
                raise _failed("the process that reads objects ended early") from error
        except BaseException:
            self._stop()  # what is left in the pipes answers another question
            raise

    def _started(self) -> Process:
        if self._process is None:
            repository = self._repository
            self._process = repository.gateway.start(repository.command("cat-file", "--batch"), repository.git_dir)
        return self._process

    def _stop(self) -> None:
        if self._process is not None:
            stop(self._process)
            self._process = None


class _ProcessEnded(Exception):
    """The lasting process is gone."""


def _pipelined(
    stdin: BinaryIO, stdout: BinaryIO, oids: Sequence[str], consume: "Callable[[BinaryIO, int], _T]"
) -> dict[str, _T]:
    feeder = threading.Thread(target=_feed, args=(stdin, oids), daemon=True)
    if len(oids) > 1:
        feeder.start()
    else:
        _feed(stdin, oids)
    found: dict[str, _T] = {}
    missing: str | None = None
    for oid in oids:
        size = _header(stdout)[1]
        if size is None:
            missing = missing or oid
            continue
        found[oid] = consume(stdout, size)
        stdout.read(1)
    if len(oids) > 1:
        feeder.join()
    if missing is not None:
        raise _failed(f"the repository has no object {missing}")
    return found


def _feed(stdin: BinaryIO, oids: Sequence[str]) -> None:
    try:
        stdin.write("".join(f"{oid}\n" for oid in oids).encode())
        stdin.flush()
    except (BrokenPipeError, ValueError):
        return  # the reader meets the end of the output and says so


def _header(stdout: BinaryIO) -> tuple[str, int | None]:
    line = stdout.readline()
    if not line:
        raise _ProcessEnded
    fields = line.split()
    if len(fields) == 3 and fields[2].isdigit():
        return fields[0].decode(), int(fields[2])
    return "", None


def _identify(stdin: BinaryIO, stdout: BinaryIO, name: str) -> str | None:
    _feed(stdin, [name])
    oid, size = _header(stdout)
    if size is None:
        return None
    for _ in _chunks(stdout, size):
        pass
    stdout.read(1)
    return oid


def _chunks(stdout: BinaryIO, size: int) -> Iterator[bytes]:
    while size:
        chunk = stdout.read(min(size, _CHUNK))
        if not chunk:
            raise _ProcessEnded
        size -= len(chunk)
        yield chunk


def _whole(stdout: BinaryIO, size: int) -> bytes:
    data = stdout.read(size)
    if len(data) < size:
        raise _ProcessEnded
    return data


def _facts(stdout: BinaryIO, size: int) -> BlobFacts:
    digest = hashlib.sha256()
    pointer = False
    first = True
    for chunk in _chunks(stdout, size):
        if first:
            pointer = size < 1024 and is_pointer(chunk)
            first = False
        digest.update(chunk)
    return BlobFacts(digest.hexdigest(), pointer, size)


def _failed(reason: str) -> NylError:
    return NylError(
        Code.GIT_FAILED,
        f"Reading from Git failed: {reason}.",
        "fetch what is missing (a shallow or partial clone may lack it), or run `git fsck` to find damage",
    )
