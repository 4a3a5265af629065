"""Writing to stdout and stderr so that a closed pipe, a full disk or a small character set spoils nothing."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TextIO

_kept: list[TextIO] = []
"""What stands for stdout while it is kept for nyl's own output."""


def prepare_streams() -> None:
    """Makes every text printable, and fills closed standard descriptors.

    A file that is opened later must never become descriptor 0, 1 or 2: children write there.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def print_utf8() -> None:
    """Makes stdout take text as UTF-8 where a program reads it, whatever the locale: manifests are files of bytes."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None and not stdout_is_a_terminal():
        reconfigure(encoding="utf-8", newline="\n")


@contextmanager
def kept_stdout() -> Iterator[None]:
    """Keeps stdout for `write_out` alone: what drivers print meanwhile, or children of theirs, goes to stderr."""
    before = sys.stdout
    own = _another(before)
    _kept.append(own or _stdout())
    try:
        if own is not None:
            os.dup2(2, 1)
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _kept.pop()
        if own is not None:
            with suppress(OSError):
                before.flush()
            os.dup2(own.fileno(), 1)
            own.close()


def _another(stream: TextIO | None) -> TextIO | None:
    """A stream of its own to where one writes that is the process's stdout; None for any other."""
    try:
        if stream is None or stream.fileno() != 1:
            return None
    except (OSError, ValueError):
        return None
    return os.fdopen(os.dup(1), "w", encoding=stream.encoding, errors=stream.errors, newline="\n")


def _stdout() -> TextIO:
    return _kept[-1] if _kept else sys.stdout


def write_out(text: str) -> None:
    """Writes to stdout. A reader that went away is no error; a stdout that takes no more is NYL-REPORT-UNWRITABLE."""
    stream = _stdout()
    try:
        _write(stream, text)
    except BrokenPipeError:
        _discard(stream)
    except OSError as error:
        from nyl.core.codes import Code
        from nyl.core.diagnostics import NylError

        _discard(stream)
        raise NylError(
            Code.REPORT_UNWRITABLE,
            f"Standard output could not be written: {error.strerror}.",
            "make room, or send the output somewhere else",
        ) from error


def write_err(text: str) -> None:
    """Writes to stderr; where nobody can read it, there is nobody to tell either."""
    try:
        _write(sys.stderr, text)
    except OSError:
        _discard(sys.stderr)


def stdout_is_a_terminal() -> bool:
    """Whether a person reads stdout."""
    stream = _stdout()
    return stream is not None and not stream.closed and stream.isatty()


def _write(stream: TextIO | None, text: str) -> None:
    if stream is not None and not stream.closed:
        stream.write(text)
        stream.flush()


def _discard(stream: TextIO) -> None:
    """Sends all that follows nowhere, so that the interpreter's last flush does not fail."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)
