"""Lists of things that are known, such as units or runs, as tables and as JSON.

An item is a dataclass of the engine; its fields are the columns, in their order, and the JSON fields in camelCase.
A field with `json` in its metadata holds any value, which is shown as JSON.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import Field, fields, is_dataclass
from enum import Enum
from typing import Any

from nyl.core.clock import Instant
from nyl.report.tables import table


def listing_text(items: Sequence[Any], nothing: str) -> str:
    """A table of some dataclass instances of one type; `nothing` as a line when there is none."""
    if not items:
        return f"{nothing}\n"
    columns = fields(items[0])
    headings = [each.name.replace("_", " ").upper() for each in columns]
    return table(headings, [[_column(each, getattr(item, each.name)) for each in columns] for item in items])


def plain_data(value: Any) -> Any:
    """What JSON can hold of a value: dataclasses as objects in camelCase, enums and instants as their texts."""
    if is_dataclass(value) and not isinstance(value, type | Instant):
        return {_camel(each.name): plain_data(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Instant):
        return value.iso()
    if isinstance(value, Mapping):
        return {str(key): plain_data(each) for key, each in value.items()}
    if isinstance(value, Sequence | frozenset | set) and not isinstance(value, str):
        return [plain_data(each) for each in (value if isinstance(value, Sequence) else sorted(value))]
    return value


def _column(column: Field[Any], value: Any) -> str:
    return json.dumps(plain_data(value), ensure_ascii=False) if column.metadata.get("json") else _cell(value)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Instant):
        return value.iso_seconds()
    plain = plain_data(value)
    if isinstance(plain, str):
        return plain
    if isinstance(plain, bool):
        return "yes" if plain else "no"
    if isinstance(plain, list) and all(isinstance(each, str) for each in plain):
        return ", ".join(plain)
    if isinstance(plain, dict) and all(isinstance(each, str) for each in plain.values()):
        return ", ".join(f"{name}={each}" for name, each in plain.items())
    return json.dumps(plain, ensure_ascii=False)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
