"""Slots that hold a checkout and bring it back to exactly what a fresh one would be, touching as little as possible."""

import os
import stat
import threading
from collections.abc import Mapping
from pathlib import Path

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git import watching
from nyl.git.bare import lay_bare
from nyl.git.process import Gateway, GitResult, command_failed
from nyl.git.promised import fetch_files
from nyl.git.repository import Repository
from nyl.git.scans import TICK_NS, Scan, digest, file_time, remove, scan, unpacked

_MANY_FOLDERS = 20
_SCANNING = threading.Lock()

_Target = tuple[str, tuple[str, ...] | None]


class CheckoutSlot:
    """A folder with one checkout, for one unit at a time.

    It has a Git directory of its own that borrows the objects of a repository, whose index, working tree and
    configuration it never touches. The configuration of user and system does not reach it, so neither line endings nor
    filters such as Git LFS alter a byte that the commit does not say. There is no `.git` in the checkout.
    """

    def __init__(self, folder: Path, objects_from: Repository, environ: Mapping[str, str]) -> None:
        self._folder = folder
        self._tree = folder / "tree"
        self._git_dir = folder / "git"
        self._objects_from = objects_from
        self._gateway = Gateway.from_environ(environ, objects_from.gateway.calls).without_user_config()
        self._lock = threading.Lock()
        self._target: _Target | None = None
        self._scan = Scan({}, {}).packed()
        self._root_mode = 0
        self._watch: watching.Watch | None = None
        self._can_watch = False

    def reset(self, commit: str, paths: tuple[str, ...] | None = None) -> Path:
        """The checkout's folder, which then holds what a fresh checkout of the commit does and nothing else.

        With `paths`, files or folders, it holds only those. Nothing is started when nothing changed since the last
        reset. Raises NylError: NYL-SOURCE-MISSING when the commit or a path does not exist, NYL-GIT-FAILED when the
        folder cannot be cleaned or written.
        """
        with self._lock:
            try:
                self._reset((commit, paths))
            except OSError as error:
                self._target = None
                raise NylError(
                    Code.GIT_FAILED,
                    f"The checkout in {self._folder} could not be cleaned: {error}.",
                    f"make sure that nothing uses it, then remove {self._folder}",
                ) from error
            except BaseException:
                self._target = None
                raise
        return self._tree

    def close(self) -> None:
        """Stops watching and removes the slot's folder."""
        with self._lock:
            self._end_watch()
            self._target = None
            if self._folder.exists():
                remove(self._folder)

    def _reset(self, target: _Target) -> None:
        if self._target is None or not self._is_own_folder():
            self._start_over()
        elif self._target == target:
            if not self._is_untouched() and self._clean():
                self._restore(target)
            return
        elif self._target[1] is not None or target[1] is not None:
            self._clear_tree()
        elif not self._is_untouched():
            self._clean()
        self._end_watch()
        self._check_out(target)
        self._target = target
        self._remember()

    def _is_untouched(self) -> bool:
        return self._watch is not None and self._watch.is_quiet()

    def _is_own_folder(self) -> bool:
        """Whether the unit left the checkout's own folder in place, which it may have moved or replaced by a link."""
        try:
            return stat.S_ISDIR(self._tree.lstat().st_mode)
        except FileNotFoundError:
            return False

    def _start_over(self) -> None:
        self._end_watch()
        if self._folder.exists():
            remove(self._folder)
        self._folder.mkdir(mode=0o700, parents=True)
        lay_bare(self._git_dir, self._objects_from.object_format, self._objects_from.common_dir / "objects")
        self._make_tree()
        self._can_watch = watching.is_reliable(self._tree)

    def _clear_tree(self) -> None:
        remove(self._tree)
        self._make_tree()
        (self._git_dir / "index").unlink(missing_ok=True)

    def _make_tree(self) -> None:
        self._tree.mkdir()
        self._root_mode = self._tree.lstat().st_mode

    def _clean(self) -> bool:
        """Removes what is not as it was checked out; whether files are missing now."""
        if self._tree.lstat().st_mode != self._root_mode:
            self._tree.chmod(stat.S_IMODE(self._root_mode))
        before, now = unpacked(self._scan), self._look()
        known = before.stamps
        for path in now.stamps:
            if path not in known and path.rpartition("/")[0] in {"", *known}:
                self._remove(path)
        is_missing = False
        for path, stamp in known.items():
            found = now.stamps.get(path)
            if found == stamp and not self._differs(path, before):
                continue
            is_missing = True
            if found is None:
                continue
            if found.is_folder and stamp.is_folder:
                (self._tree / path).chmod(stat.S_IMODE(stamp.mode))
            else:
                self._remove(path)
        if not is_missing and self._watch is not None:
            self._watch.forget()
        return is_missing

    def _differs(self, path: str, before: Scan) -> bool:
        """Whether a file that was only just written when it was looked at has another content by now."""
        known = before.fresh.get(path)
        return known is not None and digest(self._tree / path) != known

    def _remove(self, path: str) -> None:
        if os.path.lexists(self._tree / path):
            remove(self._tree / path)

    def _restore(self, target: _Target) -> None:
        before = unpacked(self._scan).stamps.keys()
        self._end_watch()
        command = ("checkout-index", "--all", "--force", "--index", "--quiet")
        result = self._git(*command)
        if result.code != 0:
            raise command_failed(command, result)
        self._remember()
        if unpacked(self._scan).stamps.keys() != before:
            self._target = None
            self._reset(target)

    def _check_out(self, target: _Target) -> None:
        commit, paths = target
        # Borrowed objects cannot be fetched when they are missed.
        fetch_files(self._objects_from, commit, paths)
        if paths is None:
            result = self._git("read-tree", "-u", "--reset", f"{commit}^{{tree}}")
        elif paths:
            listed = b"".join(os.fsencode(path) + b"\0" for path in paths)
            options = ("--force", "--quiet", "--pathspec-from-file=-", "--pathspec-file-nul")
            result = self._git("--literal-pathspecs", "checkout", *options, commit, stdin=listed)
        else:
            return
        if result.code != 0:
            self._explain(target)
            raise command_failed(("checkout", commit), result)

    def _git(self, *arguments: str, stdin: bytes = b"") -> GitResult:
        command = [f"--git-dir={self._git_dir}", f"--work-tree={self._tree}", "-c", "core.bare=false", *arguments]
        return self._gateway.run(command, self._tree, stdin)

    def _explain(self, target: _Target) -> None:
        """Raises the error that tells best why a checkout failed, where the commit or a path is to blame."""
        commit, paths = target
        if self._objects_from.resolve(commit) is None:
            raise NylError(
                Code.SOURCE_MISSING,
                f"The commit {commit} is not in {self._objects_from.git_dir}.",
                "fetch the commit, or name one that exists",
            )
        listing = self._objects_from.git("ls-tree", "--full-tree", "--name-only", "-z", commit, "--", *(paths or ()))
        found = os.fsdecode(listing.stdout).split("\0")
        missing = [path for path in paths or () if path.rstrip("/") not in found]
        if missing:
            raise NylError(
                Code.SOURCE_MISSING,
                f"The commit {commit} has no {missing[0]}.",
                "name files and folders that the commit holds",
            )

    def _remember(self) -> None:
        """Keeps what the checkout looks like now. The watch begins first, so that no change falls in between."""
        folders = [path for path, _, _ in os.walk(self._tree)] if self._can_watch else []
        self._watch = watching.watch(Path(each) for each in folders) if folders else None
        if len(folders) > _MANY_FOLDERS:
            # Files that are older than a tick need no digest, and waiting for that is sooner done than reading them.
            self._objects_from.clock.sleep(TICK_NS / 1e9)
        # One slot at a time: a scan takes much memory for a moment, and slots are laid at the same moment.
        with _SCANNING:
            self._scan = self._look().packed()

    def _look(self) -> Scan:
        return scan(self._tree, file_time(self._git_dir / "clock"))

    def _end_watch(self) -> None:
        if self._watch is not None:
            self._watch.close()
            self._watch = None
