"""What concurrent units print, arranged into log groups that GitHub folds: one a unit, and nothing in them acts.

GitHub knows no two groups at a time. So one unit's output shows as it comes, and that of the others is kept until
they end or are next: when that unit ends, or a step of it, or when it is silent. When a unit starts and ends, and
other words of nyl, stand outside of groups, at once.
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import IO

from nyl.engine.events import Event, OutputEnded, UnitEnded, UnitOutput
from nyl.github.commands import new_token, resume_commands, stop_commands, workflow_command

_MEMORY = 1 << 20
"""Bytes of a unit's kept output that stay in memory; of more, all goes to a file."""


class UnitGroups:
    """An arrangement of progress. Not thread-safe: its view holds a lock.

    What a unit prints stands between `stop-commands` and a token that was not there when it could have been read, so
    the runner acts on none of it.
    """

    def __init__(self, token: Callable[[], str] = new_token) -> None:
        self._new_token = token
        self._open_token: str | None = None
        self._live: str | None = None
        """The unit whose output shows as it comes."""
        self._begun: set[str] = set()
        """Running units that had a group already."""
        self._kept: dict[str, _Spool] = {}

    def arrange(self, event: Event, told: Iterable[str]) -> Iterator[str]:
        """The lines to write for an event whose words are `told`."""
        match event:
            case UnitOutput():
                return self._printed(f"{event.environment}/{event.unit}", told)
            case OutputEnded():
                return self._silent(f"{event.environment}/{event.unit}")
            case UnitEnded():
                return self._ended(f"{event.environment}/{event.unit}", told)
        return self._outside(told)

    def aside(self, told: Iterable[str]) -> Iterator[str]:
        """The lines for a sign of life: the unit that showed its output is silent, and it is the next one's turn."""
        yield from self._outside(told)
        if self._kept:
            yield from self._next()

    def end(self) -> Iterator[str]:
        """The lines that end all groups, after which the runner takes commands again; with what was still kept."""
        yield from self._close()
        for unit in list(self._kept):
            yield from self._folded(unit)

    def _printed(self, unit: str, told: Iterable[str]) -> Iterator[str]:
        if self._live is None:
            self._live = unit
        if unit != self._live:
            self._kept.setdefault(unit, _Spool()).add(told)
            return
        yield from self._open(unit)
        yield from told

    def _silent(self, unit: str) -> Iterator[str]:
        if unit == self._live or unit in self._kept:
            yield from self._ended(unit, ())

    def _ended(self, unit: str, told: Iterable[str]) -> Iterator[str]:
        yield from self._close()
        yield from self._folded(unit)
        yield from told
        self._begun.discard(unit)
        if unit == self._live:
            yield from self._next()

    def _outside(self, told: Iterable[str]) -> Iterator[str]:
        yield from self._close()
        yield from told

    def _next(self) -> Iterator[str]:
        """Lets the unit that waits longest show what it printed, and go on."""
        self._live = next(iter(self._kept), None)
        if self._live is not None:
            yield from self._open(self._live)
            yield from self._kept.pop(self._live).lines()

    def _folded(self, unit: str) -> Iterator[str]:
        if unit in self._kept:
            yield from self._open(unit)
            yield from self._kept.pop(unit).lines()
            yield from self._close()

    def _open(self, unit: str) -> Iterator[str]:
        if self._open_token is None:
            title = f"{unit} (continued)" if unit in self._begun else unit
            self._begun.add(unit)
            self._open_token = self._new_token()
            yield workflow_command("group", title)
            yield stop_commands(self._open_token)

    def _close(self) -> Iterator[str]:
        if self._open_token is not None:
            token, self._open_token = self._open_token, None
            yield resume_commands(token)
            yield workflow_command("endgroup")


class _Spool:
    """Lines that wait for their turn."""

    def __init__(self) -> None:
        self._file: IO[str] = tempfile.SpooledTemporaryFile(  # noqa: SIM115 -- closed when it is read
            _MEMORY, "w+", encoding="utf-8", newline="\n"
        )

    def add(self, lines: Iterable[str]) -> None:
        self._file.writelines(f"{line}\n" for line in lines)

    def lines(self) -> Iterator[str]:
        with self._file as file:
            file.seek(0)
            for line in file:
                yield line.removesuffix("\n")
