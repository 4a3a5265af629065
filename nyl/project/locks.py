"""Pinned source commits: finding them in the project's files, and moving them by editing nothing but the commit ids.

A lock is a `commit` beside a `revision`: in the `source` of an Environment, in the defaults of an EnvironmentGroup, and
in the source fields of units. Follows the section Source commits of the project specification.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError, Problems
from nyl.core.files import write_atomically
from nyl.core.suggestions import suggest
from nyl.project.discovery import Project
from nyl.project.resources import Environment
from nyl.project.units import RenderedUnit

_LINE_END = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True, order=True)
class SourceLock:
    """A pinned commit, and the line of the file that holds it."""

    location: Location
    owner: str
    """What pins it, such as `Environment dev` or `unit web`."""
    revision: str
    commit: str
    repository: str | None = None
    """URL of the repository; None is the project's own."""


@dataclass(frozen=True)
class PinnedField:
    """A source field of a unit that pins a commit. `pointer` leads to the field in the rendered spec."""

    pointer: str
    revision: str
    commit: str
    repository: str | None = None


@dataclass(frozen=True)
class LockMove:
    """A lock that is not at the head of its revision, and the commit that is."""

    lock: SourceLock
    head: str


_PinnedFields = Callable[[RenderedUnit], Iterable[PinnedField]]
"""The pinned source fields of a unit, as its driver declares them."""

_HeadOf = Callable[[str | None, str], str]
"""Repository URL (None: the project's own) and revision to the commit at its head."""


def find_locks(project: Project, pinned_fields: _PinnedFields) -> list[SourceLock]:
    """Every lock of the project, once, in the order of files and lines.

    Raises NYL-SOURCE-INPUT for a pinned commit of a unit that its file does not hold literally, and what rendering
    raises.
    """
    problems = Problems()
    found = {*_environment_locks(project), *_group_locks(project)}
    for environment in project.environments.values():
        try:
            units = project.render(environment).units
        except NylError as error:
            problems.add(error)
            continue
        for unit in units.values():
            for pinned in pinned_fields(unit):
                found.add(_unit_lock(project, environment, unit, pinned))
    problems.raise_any()
    return sorted(found)


def locks_of(locks: Iterable[SourceLock], names: Collection[str]) -> list[SourceLock]:
    """Those of some locks whose owners have one of some names, with or without their kind; all without names.

    Raises NYL-SOURCE-MISSING for a name that no owner has.
    """
    every = list(locks)
    known = {name for each in every for name in _owner_names(each)}
    for name in names:
        if name not in known:
            message = f"Nothing that is named {name} pins a commit."
            raise NylError(Code.SOURCE_MISSING, message, suggest(name, {each.owner for each in every}, "pinned commit"))
    return [each for each in every if not names or not _owner_names(each).isdisjoint(names)]


def _owner_names(lock: SourceLock) -> set[str]:
    return {lock.owner, lock.owner.partition(" ")[2]}


def stale_locks(locks: Iterable[SourceLock], head_of: _HeadOf) -> list[LockMove]:
    """The locks that are not at the head of their revision; each revision is asked for once.

    Raises what `head_of` raises, for all revisions together, each at the first lock that names it.
    """
    problems = Problems()
    heads: dict[tuple[str | None, str], str | None] = {}
    moves = []
    for lock in locks:
        key = (lock.repository, lock.revision)
        if key not in heads:
            try:
                heads[key] = head_of(*key)
            except NylError as error:
                heads[key] = None
                problems.add(error.at(lock.location, lock.owner))
        head = heads[key]
        if head is not None and head != lock.commit:
            moves.append(LockMove(lock, head))
    problems.raise_any()
    return moves


def move_locks(root: Path, moves: Iterable[LockMove]) -> tuple[str, ...]:
    """Writes the new commit ids into the files below the root of the working tree, and names the files that changed.

    Every file is edited in memory before the first is written. Raises NYL-SOURCE-INPUT when a line does not hold the
    commit any more.
    """
    contents: dict[str, bytes] = {}
    for move in moves:
        file = move.lock.location.file
        data = contents[file] if file in contents else (root / file).read_bytes()
        contents[file] = _moved(data, move)
    for file, data in contents.items():
        write_atomically(root / file, data)
    return tuple(sorted(contents))


def _environment_locks(project: Project) -> Iterable[SourceLock]:
    for environment in project.environments.values():
        own = project.resource_value(environment.location).get("spec", {}).get("source", {})
        if "commit" in own:
            line = project.resource_line(environment.location, "/spec/source/commit")
            place = Location(environment.location.file, line)
            yield SourceLock(place, f"Environment {environment.name}", own["revision"], own["commit"])


def _group_locks(project: Project) -> Iterable[SourceLock]:
    for group in project.groups.values():
        source: Mapping[str, str] = group.defaults.get("source", {})
        if "commit" in source:
            line = project.resource_line(group.location, "/spec/defaults/source/commit")
            place = Location(group.location.file, line)
            yield SourceLock(place, f"EnvironmentGroup {group.name}", source["revision"], source["commit"])


def _unit_lock(project: Project, environment: Environment, unit: RenderedUnit, pinned: PinnedField) -> SourceLock:
    line = project.line_of(environment, unit.name, f"{pinned.pointer}/commit")
    place = Location(unit.location.file, line)
    lock = SourceLock(place, f"unit {unit.name}", pinned.revision, pinned.commit, pinned.repository)
    if not project.line_holds(place, pinned.commit):
        raise _not_literal(lock)
    return lock


def _moved(data: bytes, move: LockMove) -> bytes:
    lock = move.lock
    start, end = _line_span(data, lock.location.line)
    at = data.find(lock.commit.encode(), start, end)
    if at < 0:
        raise _not_literal(lock)
    return data[:at] + move.head.encode() + data[at + len(lock.commit) :]


def _line_span(data: bytes, line: int) -> tuple[int, int]:
    start = 0
    for number, end in enumerate(_LINE_END.finditer(data), start=1):
        if number == line:
            return start, end.start()
        start = end.end()
    return start, len(data)


def _not_literal(lock: SourceLock) -> NylError:
    return NylError(
        Code.SOURCE_INPUT,
        f"{lock.location}: {lock.owner} pins commit {lock.commit}, but this line does not hold it literally.",
        "write the commit out where it is pinned, so that it can be moved",
        location=lock.location,
    )
