"""Where source commits come from: the project's own repository with its remote, or another repository."""

from collections.abc import Sequence
from functools import cached_property

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.workspace import Workspace
from nyl.git.ancestry import fetch_commit
from nyl.git.embedded import EmbeddedRemote
from nyl.git.mirrors import mirror
from nyl.git.objects import ObjectReader
from nyl.git.offline import Offline
from nyl.git.own_place import ORIGIN
from nyl.git.refs import check_ref_name
from nyl.git.remotes import Remote

_BRANCHES = "refs/heads/"
_TAGS = "refs/tags/"

_DEFAULT_BRANCH = "HEAD"
"""The pattern that stands for a remote's default branch."""


def own_remote(workspace: Workspace) -> Remote | EmbeddedRemote:
    """The project's `origin`, or its own repository when it has none."""
    if workspace.repository.remote_url(ORIGIN) is None:
        return EmbeddedRemote(workspace.repository)
    return Remote(workspace.repository, ORIGIN)


class SourceRemote:
    """Revisions and commits of one repository, fetched when they are not here.

    Without a URL it is the project's own repository: its `origin`, or itself when it has none. An invocation that
    works without remotes knows the revisions that are here.
    """

    def __init__(self, workspace: Workspace, url: str | None = None) -> None:
        self.is_project = url is None
        self._workspace = workspace
        self.refs: Remote | EmbeddedRemote
        if url is None:
            self.refs = own_remote(workspace)
        else:
            self.refs = mirror(workspace.repository, workspace.cache_folder, url)
        if workspace.is_local and isinstance(self.refs, Remote):
            self.refs = Offline(self.refs, is_mirror=url is not None)
        self.repository = self.refs.repository

    @cached_property
    def objects(self) -> ObjectReader:
        """Reads objects of the repository."""
        return self._workspace.objects if self.is_project else ObjectReader(self.repository)

    @property
    def description(self) -> str:
        """How messages name the repository, without credentials."""
        return self.refs.description

    @property
    def is_embedded(self) -> bool:
        """Whether the project's repository has no remote, so that its own branches are the ones that count."""
        return isinstance(self.refs, EmbeddedRemote)

    def revision_ref(self, revision: str) -> str:
        """The full ref that a revision names at the repository: a branch rather than a tag of the same name.

        A branch too where there is neither.
        """
        candidates = self._candidates(revision)
        if len(candidates) == 1:
            return candidates[0]
        found = self.refs.list(*candidates)
        return next((each for each in candidates if each in found), candidates[0])

    def known_tips(self, patterns: Sequence[str]) -> list[str]:
        """Commits of remote-tracking branches, or without a remote of branches, that match: known without asking."""
        if not self.is_project:
            return []
        named = [each for each in patterns if "*" not in each]
        if isinstance(self.refs, Offline):
            return [*self.refs.tips(named)]
        if isinstance(self.refs, EmbeddedRemote):
            return list(self.refs.list(*named).values())
        local = [
            f"refs/remotes/{ORIGIN}/{each.removeprefix(_BRANCHES)}"
            for each in named
            if each.startswith(_BRANCHES) or each == _DEFAULT_BRANCH
        ]
        local += [self.refs.kept_ref(each) for each in named]
        return [commit for each in local if (commit := self.objects.resolve(each))]

    def revision(self, revision: str) -> str:
        """The commit that a revision names now: a branch or tag of the remote, a full ref, or a commit id.

        Raises NYL-SOURCE-MISSING.
        """
        if _is_commit_id(revision):
            return self._commit(revision)
        for ref in self._candidates(revision):
            found = self.refs.fetch(ref).get(ref)
            commit = self.objects.resolve(found) if found else None
            if commit:
                return commit
        local = self.objects.resolve(revision) if self.is_project else None
        if local is None:
            raise self._missing(f"There is no revision {revision} in {self.description}.", revision)
        return local

    def pinned(self, commit: str, revision: str) -> str:
        """A pinned commit, fetched when it is not here. Raises NYL-SOURCE-MISSING."""
        if self.objects.resolve(commit) is None:
            self.refs.fetch(self.revision_ref(revision))
        return self._commit(commit)

    @property
    def default_pattern(self) -> str:
        """What stands for the default branch in patterns: HEAD, which the remote itself resolves.

        A repository without a remote has the branch that init.defaultBranch or `main` names, or else the one that is
        checked out.
        """
        if not self.is_embedded:
            return _DEFAULT_BRANCH
        remembered = self.refs.remote_default() if isinstance(self.refs, Offline) else None
        if remembered is not None:
            return remembered
        wanted = [self.repository.config("init.defaultBranch") or "", "main"]
        for name in (each for each in wanted if each):
            if self.objects.resolve(_BRANCHES + name):
                return _BRANCHES + name
        branch = self.refs.default_branch()
        if branch is None:
            raise self._missing(f"{self.description} has no default branch: its HEAD is detached.", "")
        return branch

    def spelled(self, pattern: str) -> str:
        """A pattern as messages show it: the default branch by its name, where it has one."""
        if pattern != _DEFAULT_BRANCH:
            return pattern
        return self.refs.default_branch() or f"{pattern}, which names no branch"

    def _candidates(self, revision: str) -> tuple[str, ...]:
        check_ref_name(revision)
        if revision.startswith("refs/"):
            return (revision,)
        return (_BRANCHES + revision, _TAGS + revision)

    def _commit(self, commit: str) -> str:
        if self.objects.resolve(commit) is None:
            fetch_commit(self.repository, self.refs, commit)
        found = self.objects.resolve(commit)
        if found is None:
            raise self._missing(f"There is no commit {commit} in {self.description}.", commit)
        return found

    def _missing(self, message: str, revision: str) -> NylError:
        return NylError(
            Code.SOURCE_MISSING,
            message,
            f"push {revision or 'a branch'} there, or correct the source; `git ls-remote` shows what is there",
        )


def _is_commit_id(revision: str) -> bool:
    return len(revision) in (40, 64) and all(each in "0123456789abcdef" for each in revision)
