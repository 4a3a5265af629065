"""Transcripts of units in files (`--unit-log-dir`)."""

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Severity


class UnitLogs:
    """Log files below a folder, `<environment>/<unit>.log`.

    `warnings` has one NYL-UNIT-LOG for every unit whose file cannot be opened or written. Nothing here raises: a log
    never decides how a unit ends.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.warnings: list[Diagnostic] = []

    def sink(self, environment: str, unit: str) -> "UnitLog":
        """The log of a unit, opened for appending. Call it with each line, and close it."""
        return UnitLog(self._directory / environment / f"{unit}.log", environment, unit, self.warnings.append)


class UnitLog:
    """One unit's log file. New files can be read by this user alone."""

    def __init__(self, path: Path, environment: str, unit: str, warn: Callable[[Diagnostic], None]) -> None:
        self._path = path
        self._subject = (environment, unit)
        self._warn = warn
        self._descriptor: int | None = None
        try:
            self._descriptor = _open(path)
        except OSError as error:
            self._give_up("opened", error)

    def __call__(self, line: str) -> None:
        """Appends a line. The first failure is warned of, and ends the log."""
        if self._descriptor is None:
            return
        try:
            left = memoryview(f"{line}\n".encode("utf-8", "replace"))
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError as error:
            self._give_up("written", error)

    def close(self) -> None:
        """Closes the file. May be called twice."""
        if self._descriptor is not None:
            with suppress(OSError):
                os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> "UnitLog":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _give_up(self, what: str, error: OSError) -> None:
        self.close()
        environment, unit = self._subject
        self._warn(
            Diagnostic(
                Code.UNIT_LOG,
                f"The log {self._path} of unit {environment}/{unit} could not be {what}: {error.strerror or error}.",
                "make the folder of --unit-log-dir writable and run again; the unit's result stands",
                Severity.WARNING,
                environment,
                unit,
            )
        )


def _open(path: Path) -> int:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Without O_NONBLOCK, opening a named pipe would wait for a reader.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError("it is not a regular file")
    return descriptor
