"""Files of repositories at locked commits: rendering reads what is locked, and never resolves a revision."""

import threading
from pathlib import Path

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.ancestry import fetch_commit
from nyl.git.mirrors import known_mirror, mirror
from nyl.git.objects import ObjectReader
from nyl.git.refs import without_credentials
from nyl.git.remotes import Remote
from nyl.git.repository import Repository
from nyl.project.trees import CommitTree


class GitFiles:
    """The trees of locked commits, each fetched by its id once when it is not here. Safe to use from several threads.

    `cache` is the folder that holds the mirrors of repositories; with `offline` nothing is asked of any remote.
    """

    def __init__(self, project: Repository, cache: Path, *, offline: bool = False) -> None:
        self._project = project
        self._cache = cache
        self._offline = offline
        self._lock = threading.Lock()
        self._remotes: dict[str, tuple[Remote, ObjectReader]] = {}
        self._trees: dict[tuple[str, str], CommitTree] = {}

    def tree(self, url: str, commit: str, lock: str) -> CommitTree:
        """All files of a commit. `lock` is what locked it, such as `ApplicationGroup web`.

        Raises NYL-SOURCE-MISSING when it cannot be had, naming the lock, NYL-URL-REFUSED and NYL-REMOTE-UNAVAILABLE.
        """
        with self._lock:
            key = (url, commit)
            if key not in self._trees:
                self._trees[key] = self._read(url, commit, lock)
            return self._trees[key]

    def tagged(self, url: str, tag: str) -> str | None:
        """The commit that a tag of a repository names now; None where there is no such tag.

        Raises NYL-URL-REFUSED and NYL-REMOTE-UNAVAILABLE.
        """
        with self._lock:
            remote, reader = self._remote(url)
            found = remote.fetch(f"refs/tags/{tag}").get(f"refs/tags/{tag}")
            return reader.resolve(found) if found is not None else None

    def close(self) -> None:
        """Ends the processes that read objects. A later call starts others."""
        with self._lock:
            for _, reader in self._remotes.values():
                reader.close()

    def _read(self, url: str, commit: str, lock: str) -> CommitTree:
        remote, reader = self._remote(url)
        if reader.resolve(commit) is None:
            if self._offline:
                raise _missing_offline(url, commit, lock)
            if not fetch_commit(remote.repository, remote, commit) or reader.resolve(commit) is None:
                raise _missing(url, commit, lock)
        return CommitTree(reader, commit, "")

    def _remote(self, url: str) -> tuple[Remote, ObjectReader]:
        if url not in self._remotes:
            find = known_mirror if self._offline else mirror
            remote = find(self._project, self._cache, url)
            self._remotes[url] = (remote, ObjectReader(remote.repository))
        return self._remotes[url]


def _missing_offline(url: str, commit: str, lock: str) -> NylError:
    return NylError(
        Code.SOURCE_MISSING,
        f"Commit {commit} of {without_credentials(url)}, which {lock} locks, is not here, and offline none is fetched.",
        "run the command once without --offline",
    )


def _missing(url: str, commit: str, lock: str) -> NylError:
    return NylError(
        Code.SOURCE_MISSING,
        f"There is no commit {commit}, which {lock} locks, in {without_credentials(url)}.",
        "push the commit there, or move the lock with `nyl update source-locks`",
    )
