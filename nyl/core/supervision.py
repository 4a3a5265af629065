"""Watching over one running tool until it and its process group are gone."""

import os
import select
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from nyl.core.cancellation import CancellationToken
from nyl.core.dataclass import dataclass
from nyl.core.process_groups import group_is_alive, signal_group
from nyl.core.tool_result import ToolResult

GRACE_SECONDS = 30.0
"""How long a tool may take to end after it was told to, before it is killed."""

MOST_CAPTURED = 64 * 1024 * 1024
"""Bytes of private stdout that are kept; more is read and dropped, and the result says so."""

_READ_AT_ONCE = 64 * 1024
_SETTLE_SECONDS = 0.5
_LOOK_AGAIN_SECONDS = 0.05


@dataclass(frozen=True)
class ToolCall:
    """What to run, where, and until when. `deadline` is a reading of time.monotonic()."""

    argv: Sequence[str]
    cwd: Path
    variables: Mapping[str, str]
    public: Callable[[bytes], None]
    """Takes what the tool shows: stdout and stderr in their order, or only stderr when stdout is captured."""
    cancellation: CancellationToken
    deadline: float | None = None
    grace: float = GRACE_SECONDS
    capture_stdout: bool = False
    stdin: bytes = b""
    """What the tool reads from its stdin."""
    stdout: Callable[[bytes], None] | None = None
    """Takes stdout as it comes, where it is to be told from stderr."""


class Supervision:
    """Reads a tool's streams, enforces its deadline and cancellation, and ends what it leaves behind."""

    def __init__(self, pid: int, stdout: int, stderr: int | None, call: ToolCall) -> None:
        self._pid = pid
        self._call = call
        self._poller = select.poll()
        self._streams: dict[int, Callable[[bytes], None]] = {}
        self._captured = bytearray()
        self._truncated = False
        self._timed_out = False
        self._cancelled = False
        self._ended = False
        self._kill_at: float | None = None
        self._exit_fd = _exit_descriptor(pid)
        self._watch(stdout, self._capture if call.capture_stdout else call.stdout or call.public)
        if stderr is not None:
            self._watch(stderr, call.public)
        for descriptor in (self._exit_fd, call.cancellation.requested.fileno()):
            if descriptor is not None:
                self._poller.register(descriptor, select.POLLIN)

    def result(self) -> ToolResult:
        """Waits for the tool to end and tells how it did."""
        try:
            while not self._ended:
                self._handle(self._poller.poll(self._milliseconds()))
                self._enforce()
        finally:
            if self._exit_fd is not None:
                os.close(self._exit_fd)
        code, number = self._finish()
        return ToolResult(
            code,
            signal=number,
            timed_out=self._timed_out,
            cancelled=self._cancelled,
            stdout=bytes(self._captured),
            truncated=self._truncated,
        )

    def _watch(self, stream: int, take: Callable[[bytes], None]) -> None:
        os.set_blocking(stream, False)
        self._streams[stream] = take
        self._poller.register(stream, select.POLLIN)

    def _capture(self, data: bytes) -> None:
        room = MOST_CAPTURED - len(self._captured)
        self._captured += data[:room]
        self._truncated |= len(data) > room

    def _milliseconds(self) -> int | None:
        ends = [each for each in (self._kill_at, None if self._timed_out else self._call.deadline) if each is not None]
        if self._exit_fd is None:
            ends.append(time.monotonic() + _LOOK_AGAIN_SECONDS)
        return max(0, int((min(ends) - time.monotonic()) * 1000) + 1) if ends else None

    def _handle(self, events: list[tuple[int, int]]) -> None:
        for descriptor, _ in events:
            if descriptor in self._streams:
                self._read(descriptor)
            elif descriptor == self._exit_fd:
                self._poller.unregister(descriptor)
                self._ended = True
            elif descriptor == self._call.cancellation.requested.fileno():
                self._cancel()
            else:
                self._poller.unregister(descriptor)
                self._kill_at = time.monotonic()
        if self._exit_fd is None:
            self._ended = _has_exited(self._pid)

    def _read(self, descriptor: int) -> None:
        try:
            data = os.read(descriptor, _READ_AT_ONCE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._streams[descriptor](data)
        else:
            self._poller.unregister(descriptor)
            del self._streams[descriptor]

    def _cancel(self) -> None:
        token = self._call.cancellation
        self._poller.unregister(token.requested.fileno())
        self._poller.register(token.hurried.fileno(), select.POLLIN)
        self._cancelled = True
        self._ask_to_end(token.signal)

    def _ask_to_end(self, number: int) -> None:
        signal_group(self._pid, number)
        latest = time.monotonic() + self._call.grace
        self._kill_at = latest if self._kill_at is None else min(self._kill_at, latest)

    def _enforce(self) -> None:
        now = time.monotonic()
        deadline = self._call.deadline
        if deadline is not None and now >= deadline and not (self._timed_out or self._ended):
            self._timed_out = True
            self._ask_to_end(signal.SIGTERM)
        if self._kill_at is not None and now >= self._kill_at:
            signal_group(self._pid, signal.SIGKILL)
            self._kill_at = None

    def _finish(self) -> tuple[int | None, int | None]:
        """Ends the rest of the group, and only then reaps the tool, whose id keeps the group's id from reuse."""
        group = self._pid
        if self._timed_out or self._cancelled:
            code, number = _reap(self._pid)
            # The tool's children were told to end as well, and may need their time to do so.
            self._drain_until(self._kill_at or 0.0, lambda: not group_is_alive(group))
            signal_group(group, signal.SIGKILL)
        else:
            # Somebody who copies the tool's output, such as tee, may have a last line to pass on.
            self._drain_until(time.monotonic() + _SETTLE_SECONDS, lambda: not self._streams)
            signal_group(group, signal.SIGKILL)
            code, number = _reap(self._pid)
        self._drain_until(time.monotonic() + _SETTLE_SECONDS, lambda: not self._streams)
        return code, number

    def _drain_until(self, end: float, done: Callable[[], bool]) -> None:
        while not done():
            left = end - time.monotonic()
            if left <= 0 or self._call.cancellation.hurried.up:
                return
            for descriptor, _ in self._poller.poll(int(min(left, _LOOK_AGAIN_SECONDS) * 1000) + 1):
                if descriptor in self._streams:
                    self._read(descriptor)
                else:
                    self._poller.unregister(descriptor)


def _exit_descriptor(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends, where the system has such."""
    with suppress(AttributeError, OSError):
        return os.pidfd_open(pid)
    return None


def _has_exited(pid: int) -> bool:
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


def _reap(pid: int) -> tuple[int | None, int | None]:
    """Exit code and signal; neither when somebody else took the status, so that it is lost."""
    try:
        _, status = os.waitpid(pid, 0)
    except ChildProcessError:
        return None, None
    code = os.waitstatus_to_exitcode(status)
    return (code, None) if code >= 0 else (None, -code)
