"""A Git repository, and the one way to run Git in it."""

import os
import shlex
import threading
from collections.abc import Mapping
from pathlib import Path

from nyl.core.clock import Clock
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.git.config import GitConfig, Identity, parse_config
from nyl.git.process import Gateway, GitCalls, GitResult, WaitNotice, command_failed

_SUPPORTED = "--path-format=absolute"


@dataclass(frozen=True)
class _Places:
    git_dir: Path
    common_dir: Path
    object_format: str
    root: Path | None


class Repository:
    """A repository on disk. Safe to use from several threads."""

    def __init__(self, places: _Places, gateway: Gateway, clock: Clock, on_wait: WaitNotice) -> None:
        self._places = places
        self._config: GitConfig | None = None
        self._config_lock = threading.Lock()
        self.gateway = gateway
        self.clock = clock
        self.on_wait = on_wait

    @classmethod
    def discover(
        cls,
        start: Path,
        environ: Mapping[str, str],
        clock: Clock,
        on_wait: WaitNotice = lambda text: None,
        calls: GitCalls | None = None,
    ) -> "Repository":
        """The repository that `start` lies in.

        Raises NylError: NYL-PROJECT-MISSING where there is none, NYL-GIT-UNAVAILABLE when Git is missing, older than
        2.31, or does not trust the repository.
        """
        if not start.is_dir():
            raise _no_repository(start)
        gateway = Gateway.from_environ(environ, calls)
        foreign = _foreign_root(start)
        if foreign is not None:
            gateway = gateway.with_config([("safe.directory", str(foreign))])
        return cls(_places(start, gateway), gateway, clock, on_wait)

    @classmethod
    def open_bare(
        cls, git_dir: Path, object_format: str, gateway: Gateway, clock: Clock, on_wait: WaitNotice
    ) -> "Repository":
        """A bare repository whose place and format are known, without asking Git."""
        return cls(_Places(git_dir, git_dir, object_format, None), gateway, clock, on_wait)

    def with_gitpython(self) -> "Repository":
        """The same, for commands beside which the time of GitPython's import does not count."""
        return Repository(self._places, self.gateway.with_gitpython(), self.clock, self.on_wait)

    @property
    def root(self) -> Path | None:
        """The root of the working tree; None in a bare repository."""
        return self._places.root

    @property
    def git_dir(self) -> Path:
        """The repository's folder; that of the working tree when there are several."""
        return self._places.git_dir

    @property
    def common_dir(self) -> Path:
        """The folder that all working trees of the repository share."""
        return self._places.common_dir

    @property
    def object_format(self) -> str:
        """`sha1` or `sha256`."""
        return self._places.object_format

    @property
    def null_oid(self) -> str:
        """The object id that stands for nothing."""
        return "0" * (64 if self.object_format == "sha256" else 40)

    @property
    def is_shallow(self) -> bool:
        """Whether history is cut off somewhere, so that ancestors may be missing."""
        try:
            return (self.common_dir / "shallow").stat().st_size > 0
        except OSError:
            return False

    def git(
        self,
        *arguments: str,
        stdin: bytes = b"",
        timeout: float | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> GitResult:
        """Runs Git in the repository and says how it ended. `timeout` in seconds; `env` is added to the environment."""
        return self.gateway.run(self.command(*arguments), cwd or self._cwd, stdin, timeout, env)

    def checked(
        self,
        *arguments: str,
        stdin: bytes = b"",
        timeout: float | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> bytes:
        """What a Git command prints. Raises NylError (NYL-GIT-FAILED) when it does not end with exit 0."""
        result = self.git(*arguments, stdin=stdin, timeout=timeout, cwd=cwd, env=env)
        if result.code != 0:
            raise command_failed(arguments, result)
        return result.stdout

    def command(self, *arguments: str) -> list[str]:
        """The arguments of a Git command that names this repository, whatever the working directory."""
        place = [f"--git-dir={self.git_dir}"]
        if self.root is not None:
            place.append(f"--work-tree={self.root}")
        return [*place, *arguments]

    def resolve(self, revision: str) -> str | None:
        """The commit that a revision names, or None. Odd revisions, such as options, name nothing."""
        if not revision or revision.startswith("-") or "\0" in revision:
            return None
        result = self.git("rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
        return result.stdout.decode().strip() if result.code == 0 else None

    @property
    def settings(self) -> GitConfig:
        """The configuration that holds here, read once."""
        with self._config_lock:
            if self._config is None:
                self._config = parse_config(self.checked("config", "--list", "-z", "--show-scope", "--includes"))
            return self._config

    def config(self, name: str) -> str | None:
        """A setting such as `user.name`, or None."""
        return self.settings.get(name)

    def remote_url(self, name: str) -> str | None:
        """The URL of a remote as the configuration has it, or None when there is no such remote."""
        return self.config(f"remote.{name}.url")

    def identity(self) -> Identity | None:
        """Who Git would name as author: author.* or user.* of the configuration, never guessed; None when unset."""
        return self.settings.identity()

    @property
    def _cwd(self) -> Path:
        return self.root or self.git_dir


def _places(start: Path, gateway: Gateway) -> _Places:
    # One question answers everything: a Git before 2.31 repeats the option that it does not know.
    result = gateway.run(
        [
            "rev-parse",
            _SUPPORTED,
            "--git-dir",
            "--git-common-dir",
            "--show-object-format",
            "--is-inside-work-tree",
            "--show-toplevel",
        ],
        start,
    )
    answers = os.fsdecode(result.stdout).split("\n")
    if answers[0] == _SUPPORTED:
        raise NylError(
            Code.GIT_UNAVAILABLE,
            "The installed Git is too old.",
            "install Git 2.31 or newer; `git version` shows yours",
        )
    if len(answers) < 4:
        raise _unusable(start, result)
    git_dir, common_dir, object_format, inside = answers[:4]
    root = Path(answers[4]) if inside == "true" and result.code == 0 else None
    return _Places(Path(git_dir), Path(common_dir), object_format, root)


def _unusable(start: Path, result: GitResult) -> NylError:
    if _repository_root(start) is None:
        return _no_repository(start)
    return NylError(
        Code.GIT_UNAVAILABLE,
        f"Git cannot use the repository at {_repository_root(start)}: {result.stderr}",
        f"correct what Git complains about; `git -C {shlex.quote(str(start))} status` shows the same",
    )


def _no_repository(start: Path) -> NylError:
    return NylError(
        Code.PROJECT_MISSING,
        f"{start} is not a folder inside a Git repository.",
        "change into the repository, or make one with `git init`; `nyl init` makes a whole project",
    )


def _repository_root(start: Path) -> Path | None:
    for folder in (start, *start.absolute().parents):
        if (folder / ".git").exists() or ((folder / "HEAD").is_file() and (folder / "objects").is_dir()):
            return folder
    return None


def _foreign_root(start: Path) -> Path | None:
    """The repository's root when another user owns it, which Git refuses unless told that it is safe."""
    root = _repository_root(start.resolve())
    if root is None:
        return None
    places = [root, root / ".git"]
    owners = {each.lstat().st_uid for each in places if each.exists()}
    return root if owners - {os.geteuid()} else None
