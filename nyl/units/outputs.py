"""The outputs of a unit: reading the file that a tool wrote them to, and holding them against the declaration."""

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.core.strict_json import finite, is_deeper, no_constant, unique_keys
from nyl.project.units import OutputDeclaration

_MOST_BYTES = 1024 * 1024
"""The most that an outputs file may hold."""

DEEPEST = 100
"""The levels of objects and arrays that a value which is recorded may have: documents that hold it are read again, and
those are limited too.
"""


class OutputsInvalid(Exception):
    """Outputs that do not count. The text is a clause such as `its outputs file is not valid JSON: …`."""


def read_outputs(path: Path) -> dict[str, Any] | None:
    """The object in an outputs file, None where there is no file. Raises OutputsInvalid.

    The file must be a regular file, not a symlink, hold at most 1 MiB of UTF-8, and be one JSON object without
    duplicate keys or numbers that JSON does not have, nested on at most DEEPEST levels.
    """
    data = _read(path)
    if data is None:
        return None
    try:
        value = json.loads(
            data.decode("utf-8-sig"), object_pairs_hook=unique_keys, parse_constant=no_constant, parse_float=finite
        )
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeError:
        raise OutputsInvalid("its outputs file is not valid UTF-8") from None
    except RecursionError:
        raise OutputsInvalid("its outputs file is nested too deeply") from None
    except ValueError as error:
        raise OutputsInvalid(f"its outputs file is not valid JSON: {_position(error)}") from None
    if is_deeper(value, DEEPEST):
        raise OutputsInvalid("its outputs file is nested too deeply")
    if not isinstance(value, dict):
        raise OutputsInvalid(f"its outputs file holds {_type_name(value)} where one JSON object is expected")
    return value


def _read(path: Path) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        kind = "is a symlink" if path.is_symlink() else f"cannot be read: {error.strerror}"
        raise OutputsInvalid(f"its outputs file {kind}") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OutputsInvalid("its outputs file is not a regular file")
        data = b""
        while len(data) <= _MOST_BYTES and (more := os.read(descriptor, _MOST_BYTES + 1 - len(data))):
            data += more
    finally:
        os.close(descriptor)
    if len(data) > _MOST_BYTES:
        raise OutputsInvalid("its outputs file is larger than 1 MiB")
    return data


def _position(error: ValueError) -> str:
    # A decoder's own message may quote the text around the mistake, which may be a secret.
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} (line {error.lineno}, column {error.colno})"
    return str(error)


def _type_name(value: Any) -> str:
    """What JSON Schema calls a value's type, with an article."""
    names = {bool: "a boolean", int: "an integer", float: "a number", str: "a string", list: "an array"}
    return "null" if value is None else names.get(type(value), "an object")


@dataclass(frozen=True)
class CheckedOutputs:
    """Outputs after the check. `stored` are the declared ones that are not sensitive."""

    stored: Mapping[str, Any]
    sensitive: Mapping[str, Any]
    undeclared: tuple[str, ...]


def check_outputs(declared: Mapping[str, OutputDeclaration], given: Mapping[str, Any]) -> CheckedOutputs:
    """Holds outputs against their declaration. Raises OutputsInvalid that names every missing or ill-typed one."""
    wrong = [problem for name, output in declared.items() if (problem := _problem(name, output, given))]
    if wrong:
        raise OutputsInvalid("; ".join(wrong))
    kept = {name: _exact(output.type, given[name]) for name, output in declared.items()}
    return CheckedOutputs(
        stored={name: value for name, value in kept.items() if not declared[name].sensitive},
        sensitive={name: value for name, value in kept.items() if declared[name].sensitive},
        undeclared=tuple(sorted(set(given) - set(declared))),
    )


def _problem(name: str, output: OutputDeclaration, given: Mapping[str, Any]) -> str | None:
    if name not in given:
        return f"output {name} is missing"
    if not _fits(output.type, given[name]):
        return f"output {name} is {_type_name(given[name])} where {output.type} is declared"
    return None


def _fits(type_: str, value: Any) -> bool:
    if isinstance(value, bool):
        return type_ == "boolean"
    match type_:
        case "string":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        case "number":
            return isinstance(value, int | float)
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
    return False


def _exact(type_: str, value: Any) -> Any:
    """JSON Schema calls 3.0 an integer; whoever reads the output gets 3."""
    return int(value) if type_ == "integer" else value
