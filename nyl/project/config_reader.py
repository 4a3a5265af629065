"""Reading nyl.toml: its tables, typed values of them, and the lines of what is wrong with them."""

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError, Problems
from nyl.core.suggestions import suggest
from nyl.core.texts import text_problem

MAX_CONCURRENCY = 256
_ALIASED = re.compile(r"([^/\s]+/)?[^/\s]+/[^/\s]+")


def decode(data: bytes, file: str) -> str:
    """The text of the file. Raises NYL-CONFIG-INVALID when it is none."""
    problem = text_problem(data)
    if problem is not None:
        raise NylError(
            Code.CONFIG_INVALID,
            f"{file}:{problem.line}: the file cannot be read as text: {problem.reason}.",
            f"save {file} as UTF-8",
            location=Location(file, problem.line),
        )
    return data.decode("utf-8-sig")


def parse(text: str, file: str) -> dict[str, Any]:
    """The tables of the file. Raises NYL-CONFIG-INVALID when it is not TOML."""
    if not text.strip():
        return {}
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = re.search(r"line (\d+)", str(error))
        line = int(found.group(1)) if found else text.count("\n") + 1
        raise NylError(
            Code.CONFIG_INVALID,
            f"{file}:{line}: the file is not TOML: {str(error) or 'it is nested too deeply'}.",
            "correct the line; https://toml.io describes the format",
            location=Location(file, line),
        ) from None


def line_of_key(text: str, section: str, key: str) -> int:
    """The line of a key, or of its section's header; 1 when neither can be found."""
    lines = text.splitlines()
    header = re.compile(rf"\s*\[\s*{re.escape(section)}\s*\]")
    start = next((at for at, line in enumerate(lines) if header.match(line)), None) if section else 0
    wanted = re.compile(rf"""\s*\[?\s*(?:{re.escape(section)}\.)?["']?{re.escape(key)}["']?\s*[=.\]]""")
    candidates = range(start or 0, len(lines))
    found = next((at for at in candidates if key and wanted.match(lines[at])), start)
    return (found or 0) + 1


class Reader:
    """Takes typed values from the tables of one file and collects what is wrong with them."""

    def __init__(self, text: str, file: str) -> None:
        self._text = text
        self._file = file
        self.problems = Problems()

    def reject(self, section: str, key: str, message: str, fix: str) -> None:
        """Adds a problem of a key, or of a section where the key is ''."""
        location = Location(self._file, line_of_key(self._text, section, key))
        self.problems.add(NylError(Code.CONFIG_INVALID, f"{location}: {message}", fix, location=location))

    def only(self, table: Mapping[str, Any], section: str, known: tuple[str, ...]) -> None:
        """Adds a problem for every key that is not known."""
        place = f"[{section}]" if section else "the file"
        what = "key" if section else "section"
        for key in table:
            if key not in known:
                self.reject(section, key, f"{what} `{key}` of {place} is not known.", suggest(key, known, what))

    def section(self, table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        """A section; an empty one where there is none, or something else."""
        value = table.get(name, {})
        if isinstance(value, dict):
            return value
        self.reject("", name, f"`{name}` is not a section.", f"write it as `[{name}]`, with its keys below")
        return {}

    def take(
        self, table: Mapping[str, Any], section: str, key: str, default: Any, read: Callable[[Any], Any], shape: str
    ) -> Any:
        """What `read` makes of a key's value, or the default; `shape` says what it must be."""
        if key not in table:
            return default
        try:
            return read(table[key])
        except (ValueError, TypeError):
            self.reject(
                section, key, f"`{key}` of [{section}] is {table[key]!r}, which is not {shape}.", f"give {shape}"
            )
            return default


def concurrency(value: Any) -> int:
    """A number of things at a time. Raises ValueError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_CONCURRENCY:
        raise ValueError(value)
    return value


def duration(value: Any) -> timedelta:
    """A duration such as `10m`. Raises ValueError for anything else."""
    from nyl.core.durations import parse_duration

    return parse_duration(text(value))


def text(value: Any) -> str:
    """A text, such as a path, without a slash at its end. Raises ValueError for anything else."""
    if not isinstance(value, str) or not (text := value.rstrip("/")) or "\0" in text or text == ".":
        raise ValueError(value)
    return text.removeprefix("./")


def argv(value: Any) -> tuple[str, ...]:
    """A program and its arguments. Raises ValueError for anything else."""
    if not isinstance(value, list) or not value or not all(isinstance(each, str) and each for each in value):
        raise ValueError(value)
    return tuple(value)


def names(value: Any) -> tuple[str, ...]:
    """A list of names, which may be empty. Raises ValueError for anything else."""
    return argv(value) if value else ()


def boolean(value: Any) -> bool:
    """true or false. Raises ValueError for anything else."""
    if not isinstance(value, bool):
        raise ValueError(value)
    return value


def local_paths(value: Any) -> tuple[str, ...]:
    """Paths that follow the local path rule, at least one. Raises ValueError for anything else."""
    return tuple("/" if each == "/" else text(each) for each in argv(value))


def any_local_paths(value: Any) -> tuple[str, ...]:
    """Paths that follow the local path rule, or none. Raises ValueError for anything else."""
    return local_paths(value) if value != [] else ()


def inner_folder(value: Any) -> str:
    """A folder below the project's. Raises ValueError for anything else."""
    folder = text(value)
    parts = folder.split("/")
    if (
        folder.startswith("/")
        or "\\" in folder
        or not {"..", "."}.isdisjoint(parts)
        or ".git" in folder.lower().split("/")
    ):
        raise ValueError(value)
    return folder


def aliases(value: Any) -> Mapping[str, str]:
    """Objects by `<apiVersion>/<Kind>`, and the kinds of their components. Raises ValueError for anything else."""
    if not isinstance(value, dict) or not all(isinstance(each, str) and each for each in value.values()):
        raise ValueError(value)
    if not all(_ALIASED.fullmatch(each) for each in value):
        raise ValueError(value)
    return value
