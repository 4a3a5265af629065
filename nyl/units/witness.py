"""What a driver does behind nyl's back while it is tried: part of the conformance suite."""

import contextlib
import io
import sys
from collections.abc import Iterator
from typing import Any

_STARTS = frozenset({"subprocess.Popen", "os.system", "os.posix_spawn", "os.exec"})
"""Events of the interpreter by which a process starts another program."""

_OWN = ("nyl.core.", "nyl.git.")
"""Modules of nyl that start programs for a driver, each in its proper way."""


class Witness:
    """Collects programs that were started without `context.run`, and what was printed without it."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.printed = io.StringIO()

    def problems(self) -> list[str]:
        """A clause for each thing that nyl cannot supervise or mask."""
        problems = [f"starts {each} without context.run" for each in dict.fromkeys(self.started)]
        if self.printed.getvalue():
            problems.append("prints to the standard streams of nyl, where nothing masks it")
        return problems


_witnesses: list[Witness] = []


@contextlib.contextmanager
def witness() -> Iterator[Witness]:
    """Watches this process, all its threads included."""
    _listen()
    seen = Witness()
    _witnesses.append(seen)
    try:
        with contextlib.redirect_stdout(seen.printed), contextlib.redirect_stderr(seen.printed):
            yield seen
    finally:
        _witnesses.remove(seen)


def _listen() -> None:
    # The interpreter has no way to take a hook off again, so there is one at most, which sleeps between trials.
    if not hasattr(sys, _MARK):
        setattr(sys, _MARK, True)
        sys.addaudithook(_hear)


_MARK = "_nyl_conformance_listens"


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if _witnesses and event in _STARTS and not _is_own():
        program = arguments[0] or arguments[1] if event == "subprocess.Popen" else arguments[0]
        _witnesses[-1].started.append(str(program))


def _is_own() -> bool:
    """Whether a module of nyl that starts programs is among those that are at work."""
    frame = sys._getframe()
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).startswith(_OWN):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False
