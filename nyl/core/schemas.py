"""JSON Schema checks with reasons that people can read."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.core.pointers import join
from nyl.core.suggestions import nearest


@dataclass(frozen=True)
class SchemaProblem:
    """What is wrong at a place of a value: a JSON pointer and a phrase such as `must be a string`."""

    pointer: str
    reason: str


class Validator:
    """Checks values against one schema (draft 2020-12), which is compiled on first use."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self._compiled: Any = None

    def problems(self, value: Any) -> list[SchemaProblem]:
        """Everything that is wrong with a value, in the order of its places; nothing for a valid one."""
        if self._compiled is None:
            self._compiled = _compile(self._schema)
        if self._compiled.is_valid(value):
            return []
        found = {problem for error in self._compiled.iter_errors(value) for problem in _problems(error)}
        return sorted(found, key=lambda problem: (problem.pointer, problem.reason))


def flaws(schema: Mapping[str, Any]) -> list[SchemaProblem]:
    """What is wrong with a schema itself (draft 2020-12); nothing for a valid one."""
    from jsonschema import Draft202012Validator

    return Validator(Draft202012Validator.META_SCHEMA).problems(schema)


def _compile(schema: Mapping[str, Any]) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(schema)


def _problems(error: Any) -> Iterator[SchemaProblem]:
    pointer = join("", *error.absolute_path)
    if "propertyNames" in list(error.absolute_schema_path)[-3:-1] and isinstance(error.instance, str):
        pointer = join(pointer, error.instance)
    if error.validator == "additionalProperties" and error.validator_value is False:
        known = error.schema.get("properties", {})
        patterns = error.schema.get("patternProperties", {})
        for name in _unknown(error.instance, known, patterns):
            yield SchemaProblem(join(pointer, name), _unknown_reason(name, known))
    elif error.validator == "unevaluatedProperties" and error.validator_value is False:
        yield SchemaProblem(pointer, str(error.message))
    elif error.validator in ("oneOf", "anyOf") and _OWN_REASON not in error.schema:
        yield from _alternatives(error, pointer)
    elif error.validator == "required":
        for name in error.validator_value:
            if name not in error.instance:
                yield SchemaProblem(pointer, f"lacks the required field {name}")
    elif error.validator == "dependentRequired":
        yield from _incomplete(error, pointer)
    else:
        yield SchemaProblem(pointer, _reason(error))


def _incomplete(error: Any, pointer: str) -> Iterator[SchemaProblem]:
    for name, needed in error.validator_value.items():
        for other in needed:
            if name in error.instance and other not in error.instance:
                yield SchemaProblem(pointer, f"lacks the field {other}, which {name} needs")


def _unknown(instance: Mapping[str, Any], known: Mapping[str, Any], patterns: Mapping[str, Any]) -> Iterator[str]:
    import re

    for name in instance:
        if name not in known and not any(re.search(pattern, name) for pattern in patterns):
            yield name


def _unknown_reason(name: str, known: Mapping[str, Any]) -> str:
    close = nearest(name, known)
    if close:
        return f"is no known field; did you mean {close}?"
    return "is no known field" + (f"; known are {', '.join(sorted(known))}" if known else "")


def _alternatives(error: Any, pointer: str) -> Iterator[SchemaProblem]:
    """The problems of the alternative that comes closest: the one that the fewest, deepest errors stand against."""
    branches: dict[int, list[Any]] = {}
    for inner in error.context:
        branches.setdefault(inner.schema_path[0], []).append(inner)
    fitting = [each for each in branches.values() if not any(_is_shape(one, error) for one in each)]
    if not fitting:
        yield SchemaProblem(pointer, _reason(error))
        return
    closest = min(fitting, key=len)
    for inner in closest:
        yield from _problems(inner)


def _is_shape(inner: Any, outer: Any) -> bool:
    return inner.validator in ("type", "const", "enum") and len(inner.absolute_path) == len(outer.absolute_path)


_KINDS = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "null",
}


_OWN_REASON = "x-reason"
"""What a schema itself says of a value that is none of its forms."""


def _reason(error: Any) -> str:
    wanted = error.validator_value
    if error.validator in ("pattern", "oneOf", "anyOf", "not") and _OWN_REASON in error.schema:
        return str(error.schema[_OWN_REASON])
    builder = _REASONS.get(error.validator)
    return builder(wanted, error) if builder else str(error.message)


def _type_reason(wanted: Any, error: Any) -> str:
    names = [wanted] if isinstance(wanted, str) else wanted
    return f"must be {' or '.join(_KINDS[name] for name in names)}, not {_kind_of(error.instance)}"


def _kind_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return _shown(value)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _choices(schema: Any) -> str:
    names = schema.get("properties", {})
    return f"; it may have {_listed(names)}" if names else ""


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(str, names))


_REASONS: dict[str, Any] = {
    "type": _type_reason,
    "const": lambda wanted, error: f"must be {_shown(wanted)}, not {_shown(error.instance)}",
    "enum": lambda wanted, error: f"must be one of {', '.join(map(str, wanted))}, not {_shown(error.instance)}",
    "pattern": lambda wanted, error: f"{_shown(error.instance)} does not match {wanted}",
    "minLength": lambda wanted, error: (
        "must not be empty" if wanted == 1 else f"must have at least {wanted} characters"
    ),
    "maxLength": lambda wanted, error: f"must have at most {wanted} characters",
    "minItems": lambda wanted, error: "must not be empty" if wanted == 1 else f"must have at least {wanted} items",
    "maxItems": lambda wanted, error: f"must have at most {wanted} items",
    "minProperties": lambda wanted, error: (
        f"must not be empty{_choices(error.schema)}" if wanted == 1 else f"must have {wanted} fields"
    ),
    "maxProperties": lambda wanted, error: (
        f"must have one field only, not {_listed(error.instance)}"
        if wanted == 1
        else f"must have at most {wanted} fields"
    ),
    "minimum": lambda wanted, error: f"must be at least {wanted}, not {_shown(error.instance)}",
    "maximum": lambda wanted, error: f"must be at most {wanted}, not {_shown(error.instance)}",
    "uniqueItems": lambda wanted, error: "must not name anything twice",
    "oneOf": lambda wanted, error: (
        f"{_shown(error.instance)} fits none of the allowed forms"
        if error.context
        else "fits several forms that exclude each other"
    ),
    "anyOf": lambda wanted, error: f"{_shown(error.instance)} fits none of the allowed forms",
    "not": lambda wanted, error: (
        f"must have only one of {_listed(wanted['required'])}" if "required" in wanted else "must be left out here"
    ),
    "propertyNames": lambda wanted, error: str(error.message),
}
