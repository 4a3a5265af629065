"""The one place that starts tools: own process group, no terminal, streamed output, deadline, cancellation."""

import errno
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from nyl.core.process_groups import signal_group
from nyl.core.scratch import locks_around
from nyl.core.supervision import Supervision, ToolCall
from nyl.core.tool_result import ToolResult

_REASONS = {
    errno.ENOENT: "there is no such program, or the interpreter on its first line does not exist",
    errno.EACCES: "it is not an executable file",
    errno.ENOEXEC: "it is neither a binary for this machine nor a script that starts with #!",
    errno.E2BIG: "its arguments and variables are larger than the system allows",
    errno.EISDIR: "it is a folder",
    errno.ENOTDIR: "a part of its path is not a folder",
}


def run_tool(call: ToolCall) -> ToolResult:
    """Runs a tool to its end and leaves none of its process group behind.

    Never raises for what the tool does: one that cannot be started gives a result with `start_error`. A result with
    neither exit code, signal nor `start_error` means that the exit status was lost.
    """
    if call.cancellation.cancelled:
        return ToolResult(None, cancelled=True, start_error="the run was cancelled before it started")
    try:
        with _stdin(call) as stdin:
            # Every tool is started here.
            process = subprocess.Popen(  # noqa: TID251
                list(call.argv),
                cwd=call.cwd,
                env=dict(call.variables),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if call.capture_stdout or call.stdout else subprocess.STDOUT,
                bufsize=0,
                start_new_session=True,
                pass_fds=locks_around(call.cwd, Path(call.variables.get("TMPDIR", ""))),
            )
    except (OSError, ValueError) as error:
        missing = isinstance(error, FileNotFoundError) and call.cwd.is_dir()
        return ToolResult(None, start_error=_why_not_started(call, error), missing=missing)
    assert process.stdout is not None
    try:
        errors = process.stderr.fileno() if process.stderr else None
        result = Supervision(process.pid, process.stdout.fileno(), errors, call).result()
        process.returncode = result.exit_code or 0  # Popen cannot know that the process is reaped
        return result
    except BaseException:
        signal_group(process.pid, signal.SIGKILL)
        process.wait()
        raise
    finally:
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


@contextmanager
def _stdin(call: ToolCall) -> Iterator[IO[bytes] | int]:
    """What a tool reads: a file without a name, so that none waits for the other, however much it is."""
    if not call.stdin:
        yield subprocess.DEVNULL
        return
    with tempfile.TemporaryFile() as file:
        file.write(call.stdin)
        file.seek(0)
        yield file


def _why_not_started(call: ToolCall, error: OSError | ValueError) -> str:
    if not isinstance(error, OSError):
        return f"its arguments or variables cannot be passed to a program: {error}"
    if not call.cwd.is_dir():
        return f"its working directory {call.cwd} does not exist"
    program = call.argv[0]
    if error.errno == errno.ENOENT and "/" in program and os.path.lexists(call.cwd / program):
        return "the interpreter on its first line does not exist"
    if error.errno == errno.ENOENT and "/" not in program:
        return "there is no such program on PATH"
    return _REASONS.get(error.errno or 0, error.strerror or "the system refused it")
