"""The document that a YAML or JSON file holds, and the place in it that a binding points at."""

import json
from collections.abc import Iterable
from typing import Any, NoReturn

from nyl.core import pointers
from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.core.strict_json import finite, no_constant, unique_keys
from nyl.core.texts import text_problem
from nyl.core.yamlio import load_document
from nyl.git.lfs import is_pointer

_BOM = "\ufeff"
_DIGITS = 1_000
_DEPTH = 200
_TOO_DEEP = f"it is nested more than {_DEPTH} levels deep"


def read_document(data: bytes, file: str, kept_as: str | None = None) -> Any:
    """The one document of a file: JSON for a name that ends in `.json`, YAML 1.2 otherwise.

    `file` is for messages. A file that is to be kept under another name, `kept_as`, is what that name says.

    Raises NYL-YAML-INVALID for anything else, duplicate keys, numbers without a finite value, and several documents.
    """
    if is_pointer(data):
        message = f"{file} is a Git LFS pointer, and its content is not in Git."
        raise NylError(Code.YAML_INVALID, message, "keep the file in Git itself", location=Location(file))
    if (kept_as or file).endswith(".json"):
        return read_json(data, file)
    return load_document(data, file)


def read_json(data: bytes, file: str) -> Any:
    """The value of a JSON text. Raises NYL-YAML-INVALID as `read_document` does."""
    problem = text_problem(data)
    if problem is not None:
        _refuse(file, problem.line, problem.reason)
    try:
        value = json.loads(
            data.decode().removeprefix(_BOM),
            object_pairs_hook=unique_keys,
            parse_constant=no_constant,
            parse_float=finite,
            parse_int=_bounded,
        )
        _check_depth(value)
        json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        _refuse(file, error.lineno, error.msg)
    except UnicodeEncodeError:
        _refuse(file, 0, "a string has half of a surrogate pair in it")
    except ValueError as error:
        _refuse(file, 0, str(error))
    except RecursionError:
        _refuse(file, 0, _TOO_DEEP)
    return value


def value_at(document: Any, pointer: str, file: str) -> Any:
    """What a JSON pointer leads to. Raises NYL-INPUT-UNRESOLVED when nothing is there."""
    try:
        return pointers.get(document, pointer)
    except KeyError:
        message = f"The pointer {pointer} leads to nothing in {file}."
        raise NylError(Code.INPUT_UNRESOLVED, message, "correct the pointer, or add the value to the file") from None


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(_DEPTH + 1):
        level = [item for each in level for item in _items(each)]
        if not level:
            return
    raise ValueError(_TOO_DEEP)


def _items(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _bounded(text: str) -> int:
    if len(text) > _DIGITS:
        raise ValueError(f"a number of {len(text)} digits is too long")
    return int(text)


def _refuse(file: str, line: int, reason: str) -> NoReturn:
    place = Location(file, line)
    raise NylError(Code.YAML_INVALID, f"{place} is not valid JSON: {reason}.", "correct the JSON", location=place)
