"""Exceptions as reports: a traceback is never what a user sees."""

import errno
import os
from pathlib import Path

import click

from nyl.cli.lazy import UnknownCommand
from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, NylError
from nyl.core.suggestions import nearest

_USERS_OWN = frozenset(
    {
        errno.EACCES,
        errno.EDQUOT,
        errno.EIO,
        errno.EMFILE,
        errno.ENAMETOOLONG,
        errno.ENOSPC,
        errno.ENOTDIR,
        errno.EPERM,
        errno.EROFS,
    }
)
"""Errors of a file that the user can mend."""


def diagnose(error: BaseException) -> tuple[Diagnostic, ...]:
    """What to tell the user of an exception that ended a command."""
    if isinstance(error, NylError):
        return error.diagnostics
    if isinstance(error, click.ClickException):
        return (_usage(error),)
    if isinstance(error, click.Abort) and isinstance(error.__cause__, EOFError):
        return (_internal(error.__cause__),)  # click takes any EOFError for a prompt that was closed
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return (Diagnostic(Code.RUN_CANCELLED, "The command was interrupted before it ended.", "run it again"),)
    if isinstance(error, OSError) and error.errno in _USERS_OWN and error.filename is not None:
        return (_inaccessible(error),)
    return (_internal(error),)


def _usage(error: click.ClickException) -> Diagnostic:
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context else "nyl"
    return Diagnostic(Code.USAGE, error.format_message(), f"{_meant(error, path)}see `{path} --help`")


def _meant(error: click.ClickException, path: str) -> str:
    """The way from a word that is nearly a command to that command; '' for any other wrong command line."""
    close = nearest(error.name, error.known) if isinstance(error, UnknownCommand) else None
    return f"run `{path} {close}`, or " if close else ""


def _inaccessible(error: OSError) -> Diagnostic:
    return Diagnostic(
        Code.FILE_INACCESSIBLE,
        f"{error.filename} could not be read or written: {error.strerror}.",
        "see to its permissions and to the room on its disk, then run the command again",
    )


def _internal(error: BaseException) -> Diagnostic:
    import traceback

    text = "".join(traceback.format_exception(error))
    try:
        where = f"the traceback is in {_save(text)}"
    except OSError as problem:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"it came from {frame.filename}:{frame.lineno}, and its traceback could not be saved ({problem})"
    summary = traceback.format_exception_only(error)[-1].strip()
    return Diagnostic(
        Code.INTERNAL,
        f"nyl met something it did not expect: {summary}; {where}.",
        "report it together with the traceback and the command; "
        "`nyl status` shows what was recorded, and running the command again is safe",
    )


def _save(text: str) -> Path:
    import tempfile

    descriptor, path = tempfile.mkstemp(prefix="nyl-traceback-", suffix=".txt")  # mode 0600
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    return Path(path)
