"""What the objects of a push hold: commits with projects in them, and whether these differ from what is there."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import PurePath, PurePosixPath

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.objects import ObjectReader
from nyl.git.pushes import PushedRef
from nyl.git.repository import Repository
from nyl.git.trees import TreeListing
from nyl.project.config import FILE_NAME
from nyl.project.trees import CommitTree

_BRANCHES = "refs/heads/"
_SYMBOLIC = "ref: "


class PushedTrees:
    """Reads the trees of commits that a push to one remote is about."""

    def __init__(self, repository: Repository, remote: str) -> None:
        self.repository = repository
        self.objects = ObjectReader(repository)
        self._remote = remote
        self._listings: dict[str, TreeListing] = {}
        self._touched: dict[tuple[str, str | None, str], bool] = {}

    def commit(self, pushed: PushedRef) -> str | None:
        """The commit that a ref would lead to; None for a tag of anything else, and for a deletion.

        Raises NYL-PUSH-INPUT for an object that is not here.
        """
        if pushed.new is None:
            return None
        commit = self.objects.resolve(pushed.new)
        if commit is None and not self.objects.exists(pushed.new):
            raise NylError(
                Code.PUSH_INPUT,
                f"{pushed.new}, which is pushed to {pushed.ref}, is not in the repository at "
                f"{self.repository.root or self.repository.git_dir}.",
                "run the hook in the repository that is pushed from; `git push --no-verify` skips the check",
            )
        return commit

    def projects(self, commit: str) -> Iterator[CommitTree]:
        """The projects of a commit: a tree for each folder with a nyl.toml."""
        listing = self._listing(commit)
        for folder in sorted(project_folders(listing)):
            yield CommitTree(self.objects, commit, folder, listing)

    def brings(self, pushed: PushedRef, project: CommitTree) -> bool:
        """Whether a project is another at its ref after a push, or touched by a commit that the remote may not have."""
        before = self.objects.resolve(pushed.old) if pushed.old else None
        folder = project.project_folder
        if before is not None and self._folder(before, folder) != self._folder(project.commit, folder):
            return True
        asked = (project.commit, before, folder)
        if asked not in self._touched:
            self._touched[asked] = self._is_touched(*asked)
        return self._touched[asked]

    def _is_touched(self, commit: str, before: str | None, folder: str) -> bool:
        """Whether a commit that neither `before` nor a ref of the remote leads to touches a folder."""
        known = ([before] if before else []) + [f"--remotes={self._remote}"]
        arguments = ("rev-list", "-1", commit, "--not", *known, "--", folder or ".")
        answer = self.repository.git("--literal-pathspecs", *arguments)
        return answer.code != 0 or bool(answer.stdout.strip())

    def remembered(self, pushed: PushedRef) -> Iterator[str]:
        """Commits that the remote is known to have had: at the ref, at the branch that is checked out, at its HEAD."""
        names = [pushed.ref.removeprefix(_BRANCHES), *self._checked_out, "HEAD"]
        places = [pushed.old or "", *(f"refs/remotes/{self._remote}/{name}" for name in names)]
        yield from filter(None, map(self.objects.resolve, places))

    @cached_property
    def head(self) -> CommitTree | None:
        """All files of the commit that is checked out; None before the first."""
        commit = self.objects.resolve("HEAD")
        return CommitTree(self.objects, commit, "", self._listing(commit)) if commit else None

    @cached_property
    def _checked_out(self) -> tuple[str, ...]:
        text = (self.repository.git_dir / "HEAD").read_text(errors="replace").strip()
        branch = text.removeprefix(_SYMBOLIC + _BRANCHES)
        return (branch,) if branch != text else ()

    def _folder(self, commit: str, folder: str) -> str | None:
        return self.objects.resolve(f"{commit}:{folder}", "") if folder else self.objects.resolve(commit, "^{tree}")

    def _listing(self, commit: str) -> TreeListing:
        if commit not in self._listings:
            self._listings[commit] = self.objects.tree(commit)
        return self._listings[commit]


def project_folders(listing: TreeListing) -> set[str]:
    """The folders of a tree that hold a nyl.toml; '' is the root."""
    places = (PurePosixPath(path) for path, _ in listing.ending_with((FILE_NAME,)))
    return {folder_name(each.parent) for each in places if each.name == FILE_NAME}


def folder_name(folder: PurePath) -> str:
    """A folder by its path from the root, which is ''."""
    return "" if str(folder) == "." else str(folder)
