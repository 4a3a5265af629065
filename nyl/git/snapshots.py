"""Snapshots of a working tree as commits, without touching the index, HEAD or any branch."""

import os
import shlex
from pathlib import Path

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.git.commits import CommitSpec, CommitWriter
from nyl.git.config import Identity
from nyl.git.repository import Repository

_NAMESPACE = "refs/nyl-worktrees"
"""Below here each snapshot has a ref that is named by its commit."""

_BASE_TRAILER = "Nyl-Worktree-Base"
"""Names, in a snapshot's message, the commit that the working tree was based on."""

_AUTHOR = Identity("nyl", "nyl@localhost")


@dataclass(frozen=True)
class Snapshot:
    """A captured working tree.

    `base` is the commit that was checked out, None before the first commit. `created` is False when the same files were
    captured before on the same base, which gives the same commit. `seconds` is how long it took.
    """

    commit: str
    base: str | None
    created: bool
    files: int
    seconds: float

    @property
    def ref(self) -> str:
        """The local ref that keeps it."""
        return f"{_NAMESPACE}/{self.commit}"


def snapshot_of(revision: str) -> str | None:
    """The commit of the snapshot that a recorded revision names; None for any other revision."""
    namespace, _, commit = revision.rpartition("/")
    return commit if namespace == _NAMESPACE else None


def capture(repository: Repository, base: str | None, exclude: Path | None = None) -> Snapshot:
    """Captures all files that Git sees: tracked, and untracked but not ignored, as `git add` would take them.

    `exclude` is a folder to leave out, such as the cache. Raises NylError: NYL-WORKTREE-REFUSED when tracked files lie
    in it or there is no working tree, NYL-GIT-FAILED when Git cannot read a file.
    """
    started = repository.clock.monotonic()
    root = repository.root
    if root is None:
        raise NylError(
            Code.WORKTREE_REFUSED,
            f"{repository.git_dir} is a bare repository, so there is no working tree to capture.",
            "run the command in a checkout, or without --worktree",
        )
    left_out = _inside(root, exclude)
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="nyl-index-", dir=repository.git_dir) as folder:
        index = {"GIT_INDEX_FILE": str(_private_index(repository, Path(folder)))}
        if left_out:
            _refuse_tracked(repository, left_out, index)
        repository.checked("add", "--all", "--", ":(top)", *_exclusion(repository, left_out), env=index)
        files = repository.checked("ls-files", "-z", "--cached", env=index).count(b"\0")
        tree = repository.checked("write-tree", env=index).decode().strip()
    commit = _commit(repository, tree, base)
    created = _keep(repository, commit)
    return Snapshot(commit, base, created, files, repository.clock.monotonic() - started)


def _private_index(repository: Repository, folder: Path) -> Path:
    import shutil

    index = folder / "index"
    try:
        shutil.copyfile(repository.git_dir / "index", index)
    except FileNotFoundError:
        return index
    # An index that is newer than the files in it makes Git compare contents only where it has to.
    shutil.copystat(repository.git_dir / "index", index)
    return index


def _inside(root: Path, folder: Path | None) -> str:
    if folder is None:
        return ""
    relative = os.path.relpath(os.path.realpath(folder), os.path.realpath(root))
    return "" if relative == "." or Path(relative).parts[0] == ".." else relative


def _exclusion(repository: Repository, folder: str) -> list[str]:
    """The pathspec that leaves a folder out; none where Git ignores it, because `git add` refuses to be told twice."""
    if not folder or repository.git("check-ignore", "--quiet", "--", f"{folder}/").code == 0:
        return []
    return [f":(top,exclude,literal){folder}"]


def _refuse_tracked(repository: Repository, folder: str, index: dict[str, str]) -> None:
    listing = repository.checked("--literal-pathspecs", "ls-files", "-z", "--cached", "--", folder, env=index)
    tracked = os.fsdecode(listing).split("\0")[:-1]
    if tracked:
        more = f" and {len(tracked) - 1} more" if len(tracked) > 1 else ""
        raise NylError(
            Code.WORKTREE_REFUSED,
            f"Git tracks {tracked[0]}{more} inside the cache folder {folder}, which snapshots leave out.",
            f"move the cache elsewhere, or run `git rm -r --cached -- {shlex.quote(folder)}`",
        )


def _commit(repository: Repository, tree: str, base: str | None) -> str:
    message = f"nyl: worktree snapshot\n\n{_BASE_TRAILER}: {base or 'none'}\n"
    spec = CommitSpec(message.encode(), _AUTHOR, 0, tree=tree)
    return CommitWriter(repository).write([spec])[0]


def _keep(repository: Repository, commit: str) -> bool:
    ref = f"{_NAMESPACE}/{commit}"
    if repository.resolve(ref) == commit:
        return False
    repository.checked("update-ref", ref, commit)
    return True
