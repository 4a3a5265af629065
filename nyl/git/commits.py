"""Writes commits without a working tree, any number of them with one `git fast-import`."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from nyl.core.dataclass import dataclass
from nyl.git.config import Identity
from nyl.git.process import command_failed
from nyl.git.repository import Repository

_FILE = "100644"
_TREE = "040000"
_EXACT_NAMES = ("-c", "core.ignorecase=false")
"""Where the disk does not know case, Git would put a new file into a folder whose name has another case."""


@dataclass(frozen=True)
class Earlier:
    """A parent that is written in the same batch: the spec at `index`, from 0."""

    index: int


@dataclass(frozen=True)
class CommitSpec:
    """A commit to write.

    `changes` are file contents by path, None for a file to remove. They apply to the files of the first parent; with
    `from_nothing` to no files at all, with `tree` to those of an existing tree. `seconds` since the epoch date the
    commit, in UTC. Parents must be in the repository, though their own parents need not be.
    """

    message: bytes
    identity: Identity
    seconds: int
    parents: tuple[str | Earlier, ...] = ()
    changes: Mapping[str, bytes | None] = field(default_factory=dict)
    from_nothing: bool = False
    tree: str | None = None


class CommitWriter:
    """Writes commits into one repository. It leaves no ref behind, so what is written must be pushed or referred to."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def write(self, specs: Sequence[CommitSpec]) -> list[str]:
        """The ids of the commits, in the order of the specs.

        Raises NylError (NYL-GIT-FAILED) when Git cannot write them, such as for want of a parent.
        """
        if not specs:
            return []
        namespace = f"refs/nyl-write/{secrets.token_hex(8)}"
        command = (*_EXACT_NAMES, "fast-import", "--quiet", "--done", "--date-format=raw")
        stream = b"".join(_stream(specs, namespace, self._repository.null_oid))
        result = self._repository.git(*command, stdin=stream)
        ids = result.stdout.decode().split()
        if result.code != 0 or len(ids) != len(specs):
            self._remove_crash_reports()
            raise command_failed(command, result)
        return ids

    def _remove_crash_reports(self) -> None:
        for report in self._repository.git_dir.glob("fast_import_crash_*"):
            report.unlink(missing_ok=True)


def _stream(specs: Sequence[CommitSpec], namespace: str, nothing: str) -> Iterator[bytes]:
    for index, spec in enumerate(specs):
        yield from _commit(index, spec, f"{namespace}/{index}")
    # Commits need a ref while they are written; one that is reset to nothing in the same stream never comes to exist.
    for index in range(len(specs)):
        yield f"reset {namespace}/{index}\nfrom {nothing}\n\n".encode()
    for index in range(len(specs)):
        yield f"get-mark :{index + 1}\n".encode()
    yield b"done\n"


def _commit(index: int, spec: CommitSpec, ref: str) -> Iterator[bytes]:
    person = f"{spec.identity} {spec.seconds} +0000"
    yield f"commit {ref}\nmark :{index + 1}\nauthor {person}\ncommitter {person}\n".encode()
    yield _data(spec.message)
    for position, parent in enumerate(spec.parents):
        name = f":{parent.index + 1}" if isinstance(parent, Earlier) else parent
        yield f"{'merge' if position else 'from'} {name}\n".encode()
    if spec.from_nothing or spec.tree is not None:
        yield b"deleteall\n"
    if spec.tree is not None:
        yield f'M {_TREE} {spec.tree} ""\n'.encode()
    # Removals first, so that a file may take the place of a folder that goes.
    for path, content in spec.changes.items():
        if content is None:
            yield b"D " + _path(path) + b"\n"
    for path, content in spec.changes.items():
        if content is not None:
            yield f"M {_FILE} inline ".encode() + _path(path) + b"\n" + _data(content)
    yield b"\n"


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)


def _path(path: str) -> bytes:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return b'"' + escaped.encode(errors="surrogateescape") + b'"'
