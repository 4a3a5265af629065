"""Programs of the project itself, such as the one that prints its secrets. They belong to no unit."""

import errno
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from nyl.core.cancellation import CancellationToken
from nyl.core.dataclass import dataclass
from nyl.core.supervision import GRACE_SECONDS, MOST_CAPTURED, ToolCall
from nyl.core.tool_result import ToolResult
from nyl.core.tools import run_tool


@dataclass(frozen=True)
class ProjectPrograms:
    """Runs programs in the project's folder, with the runner's own environment less what a Git hook adds to it."""

    folder: Path
    environ: Mapping[str, str]
    cancellation: CancellationToken
    grace: float = GRACE_SECONDS
    """How many seconds a program has between being told to end and being killed."""

    def __call__(self, argv: Sequence[str], seconds: float) -> bytes:
        """What a program prints on stdout; its stderr is dropped, since it may hold secrets.

        Raises TimeoutError, FileNotFoundError when there is no such program, ChildProcessError when it ends with
        anything but exit code 0, and OSError for all else. No text of these holds what the program printed.
        """
        call = ToolCall(
            argv=tuple(argv),
            cwd=self.folder,
            variables=_without_hook_variables(self.environ),
            public=_drop,
            cancellation=self.cancellation,
            deadline=time.monotonic() + seconds,
            grace=self.grace,
            capture_stdout=True,
        )
        result = run_tool(call)
        problem = _problem(argv[0], result)
        if problem is not None:
            raise problem
        return result.stdout


def _problem(program: str, result: ToolResult) -> OSError | None:
    if result.timed_out:
        return TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT), program)
    if result.cancelled:
        return ChildProcessError(f"the run was cancelled while {program} ran")
    if result.start_error is not None:
        kind = FileNotFoundError if result.missing else OSError
        return kind(f"{program} could not be started: {result.start_error}")
    if result.exit_code is None:
        return ChildProcessError(f"{program} was killed")
    if result.exit_code != 0:
        return ChildProcessError(f"{program} ended with exit code {result.exit_code}")
    if result.truncated:
        return OSError(f"{program} printed more than {MOST_CAPTURED // 1024**2} MiB")
    return None


def _without_hook_variables(environ: Mapping[str, str]) -> dict[str, str]:
    from nyl.git.environment import git_environment

    kept = git_environment(environ)
    return {name: value for name, value in environ.items() if not name.startswith("GIT_") or name in kept}


def _drop(_data: bytes) -> None:
    """Where the stderr of such programs goes."""
