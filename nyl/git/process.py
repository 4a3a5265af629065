"""Runs Git child processes, and sees that each of them ends."""

import os
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from subprocess import TimeoutExpired

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.git.environment import git_environment, with_config, with_users_hooks, without_user_config
from nyl.git.refs import without_credentials
from nyl.git.starting import Process, Start, start_at_once, start_with_gitpython

WaitNotice = Callable[[str], None]
"""Is told, in one line, what is being waited for."""

TIMED_OUT = -1000
"""The exit code of a command that was stopped because its time was over."""

_QUIET_SECONDS = 2.0


@dataclass(frozen=True)
class GitResult:
    """How a Git command ended; `stderr` without credentials."""

    code: int
    stdout: bytes
    stderr: str


@dataclass
class GitCalls:
    """Records the Git child processes that were started, for counting them."""

    commands: list[tuple[str, ...]] = field(default_factory=list)

    def record(self, command: tuple[str, ...]) -> None:
        """Keeps the arguments of one child process, without `git`."""
        self.commands.append(command)


@dataclass(frozen=True)
class Gateway:
    """Starts Git with one environment. `unset` names variables of the process that Git must not inherit."""

    variables: Mapping[str, str]
    unset: frozenset[str]
    calls: GitCalls = field(default_factory=GitCalls)
    start_git: Start = start_at_once

    @classmethod
    def from_environ(cls, environ: Mapping[str, str], calls: GitCalls | None = None) -> "Gateway":
        """The gateway for the environment of this process."""
        variables = git_environment(environ)
        unset = frozenset(name for name in environ if name.startswith("GIT_") and name not in variables)
        return cls(variables, unset, calls or GitCalls())

    def with_config(self, settings: Iterable[tuple[str, str]]) -> "Gateway":
        """The same with more configuration in command scope."""
        return replace(self, variables=with_config(self.variables, settings))

    def without_user_config(self) -> "Gateway":
        """The same without the configuration of user and system, for exact checkouts."""
        variables = without_user_config(self.variables)
        unset = (self.unset | frozenset(self.variables)) - frozenset(variables)
        return replace(self, variables=variables, unset=unset)

    def with_gitpython(self) -> "Gateway":
        """The same through GitPython, for a command beside which the time of its import does not count."""
        return replace(self, start_git=start_with_gitpython)

    def with_users_hooks(self) -> "Gateway":
        """The same for asking where the hooks are that Git runs for the user."""
        return replace(self, variables=with_users_hooks(self.variables))

    def start(self, arguments: Sequence[str], cwd: Path, extra: Mapping[str, str] | None = None) -> Process:
        """A running Git with pipes, in a session of its own so that nothing can prompt on the terminal.

        Raises NylError: NYL-GIT-UNAVAILABLE when there is no Git to start, NYL-GIT-FAILED when the system starts none.
        """
        self.calls.record(tuple(arguments))
        try:
            return self.start_git(arguments, cwd, {**self.variables, **(extra or {})}, self.unset)
        except OSError as error:
            raise _not_started(error) from error

    def run(
        self,
        arguments: Sequence[str],
        cwd: Path,
        stdin: bytes = b"",
        timeout: float | None = None,
        extra: Mapping[str, str] | None = None,
        on_slow: Callable[[], None] | None = None,
    ) -> GitResult:
        """Runs Git to its end. `timeout` in seconds ends it: code TIMED_OUT. `on_slow` is called after 2 seconds."""
        process = self.start(arguments, cwd, extra)
        try:
            stdout, stderr, code = _await(process, stdin, timeout, on_slow)
        except BaseException:
            stop(process)
            raise
        return GitResult(code, stdout, without_credentials(stderr.decode(errors="replace").strip()))


def stop(process: Process) -> None:
    """Ends a Git process and whatever it started, at once."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            try:
                pipe.close()
            except OSError:
                continue


def _await(
    process: Process, stdin: bytes, timeout: float | None, on_slow: Callable[[], None] | None
) -> tuple[bytes, bytes, int]:
    pauses = [_QUIET_SECONDS] if on_slow is not None and (timeout is None or timeout > _QUIET_SECONDS) else []
    rest = timeout - sum(pauses) if timeout is not None else None
    given: bytes | None = stdin
    for pause in [*pauses, rest]:
        try:
            stdout, stderr = process.communicate(given, timeout=pause)
        except TimeoutExpired:
            given = None
            if pause is not rest and on_slow is not None:
                on_slow()
        else:
            return stdout, stderr, process.returncode
    stop(process)
    return b"", f"it did not end within {timeout:g} seconds".encode(), TIMED_OUT


def _not_started(error: OSError) -> NylError:
    if isinstance(error, FileNotFoundError | PermissionError):
        code, fix = Code.GIT_UNAVAILABLE, "install Git 2.31 or newer and make sure that `git` is on PATH"
    else:
        code, fix = Code.GIT_FAILED, "see to what the system lets nyl have (`ulimit -a` tells), then run it again"
    return NylError(code, f"Git could not be started: {error}.", fix)


def command_failed(arguments: Sequence[str], result: GitResult) -> NylError:
    """NYL-GIT-FAILED, for a command that did not end with exit 0."""
    shown = without_credentials(" ".join(arguments[:6])) + (" ..." if len(arguments) > 6 else "")
    tail = "\n".join(result.stderr.splitlines()[-5:])
    how = "was stopped" if result.code == TIMED_OUT else f"ended with exit {result.code}"
    return NylError(
        Code.GIT_FAILED,
        f"`git {shown}` {how}" + (f": {tail}" if tail else "."),
        "correct what Git complains about and run the command again",
    )
