"""Which files below a folder do not count: ignore files with the semantics of Docker's builders.

Patterns are rooted at the folder that the ignore file is about. A later pattern overrides an earlier one, and what
matches a folder concerns all that is below it.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from nyl.core.dataclass import dataclass

_ANY_FOLDERS = re.compile(r"\*\*/?(\*\*(/|\Z))*")
"""Said once, or several times in a row, which would only take long to match."""

_ESCAPED = frozenset(".+()|{}$")


class IgnoreFileInvalid(Exception):
    """An ignore file that no builder takes. The text is a clause that begins with the line, such as `line 3 …`."""


@dataclass(frozen=True)
class _Rule:
    matches: re.Pattern[str]
    excepts: bool
    """Whether the rule brings back what earlier ones ignore."""


@dataclass(frozen=True)
class IgnoreRules:
    """The rules of one ignore file, in their order."""

    rules: tuple[_Rule, ...] = ()

    def ignores(self, path: str) -> bool:
        """Whether a file does not count. `path` is relative to the folder, with slashes."""
        ignored = False
        candidates = tuple(_with_parents(path))
        for rule in self.rules:
            if rule.excepts == ignored and any(rule.matches.match(each) for each in candidates):
                ignored = not rule.excepts
        return ignored


@lru_cache(maxsize=256)
def ignore_rules(data: bytes) -> IgnoreRules:
    """The rules that an ignore file holds. Raises IgnoreFileInvalid."""
    text = data.decode("utf-8", errors="surrogateescape").removeprefix("\ufeff")
    rules: list[_Rule] = []
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            rules += _rules_of(line)
        except ValueError as problem:
            raise IgnoreFileInvalid(f"line {number} {problem}") from None
    return IgnoreRules(tuple(rules))


def _rules_of(line: str) -> Iterable[_Rule]:
    if line.startswith("#"):
        return
    pattern = line.strip()
    excepts = pattern.startswith("!")
    if excepts:
        pattern = pattern[1:].strip()
        if not pattern:
            raise ValueError("is an exception without a pattern")
    if not pattern:
        return
    yield _Rule(re.compile(_expression(_cleaned(pattern))), excepts)


def _cleaned(pattern: str) -> str:
    """Without `.`, `..`, repeated and trailing slashes, and relative to the folder."""
    normal = posixpath.normpath(re.sub("/+", "/", pattern))
    return normal[1:] if len(normal) > 1 and normal.startswith("/") else normal


def _with_parents(path: str) -> Iterator[str]:
    yield path
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _expression(pattern: str) -> str:
    """The pattern as a regular expression. Raises ValueError."""
    found, rest = "", pattern
    while rest:
        any_folders = _ANY_FOLDERS.match(rest)
        if any_folders is not None:
            rest = rest[any_folders.end() :]
            found += "(?:.*/)?" if rest else ".*"
            continue
        character, rest = rest[0], rest[1:]
        match character:
            case "*":
                found += "[^/]*"
            case "?":
                found += "[^/]"
            case "[":
                characters, rest = _characters(rest)
                found += characters
            case "\\":
                if not rest:
                    raise ValueError("ends with a backslash")
                found, rest = found + re.escape(rest[0]), rest[1:]
            case _:
                found += f"\\{character}" if character in _ESCAPED or character in "]^" else character
    return rf"(?s:{found})\Z"


def _characters(rest: str) -> tuple[str, str]:
    """A class of characters, whose bracket was read, as an expression, and what follows it. Raises ValueError."""
    inverted = rest.startswith("^")
    rest = rest[1:] if inverted else rest
    members: list[str] = []
    while rest and (rest[0] != "]" or not members):
        low, rest = _character(rest)
        high = low
        if rest.startswith("-"):
            high, rest = _character(rest[1:])
        if low > high:
            raise ValueError(f"has the range {low}-{high}, which is empty")
        members.append(f"{re.escape(low)}-{re.escape(high)}")
    if not rest:
        raise ValueError("has a [ without its ]")
    return f"[{'^' if inverted else ''}{''.join(members)}]", rest[1:]


def _character(rest: str) -> tuple[str, str]:
    if rest.startswith("\\"):
        rest = rest[1:]
    elif rest[:1] in ("-", "]"):
        raise ValueError("has a class of characters that no builder understands")
    if not rest:
        raise ValueError("has a [ without its ]")
    return rest[0], rest[1:]
