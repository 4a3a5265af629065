"""How a tool ended."""

from nyl.core.dataclass import dataclass


@dataclass(frozen=True)
class ToolResult:
    """How a tool ended. Exactly one of exit code and signal is set.

    Neither is when it was never started (`start_error`), or when the system lost its exit status.
    """

    exit_code: int | None
    signal: int | None = None
    timed_out: bool = False
    cancelled: bool = False
    start_error: str | None = None
    missing: bool = False
    """Whether it was not started because there is no such program."""
    stdout: bytes = b""
    """What a captured stdout held; at most 64 MiB, `truncated` when there was more."""
    truncated: bool = False
    last_line: str = ""
    """The last line of public output that is not blank, masked and without colours; at most 300 characters."""
    last_lines: tuple[str, ...] = ()
    """The last 100 lines of public output that are not blank, as `last_line` is; oldest first."""
