"""Whether an object keeps to the driver protocol, as far as can be told without running it."""

import json
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from nyl.core.pointers import split
from nyl.core.schemas import flaws
from nyl.project.schema_catalog import shared_fields

_METHODS = ("schema", "capabilities", "recovery", "inputs", "execute")
_LONGEST = timedelta(days=7)

CAPABILITY_METHODS: Mapping[str, tuple[str, ...]] = {
    "plan": ("plan", "plan_teardown"),
    "teardown": ("teardown", "teardown_recovery"),
    "verify": ("verify",),
    "inspect": ("inspect",),
}
"""The methods that a driver with a capability must have."""


def missing_methods(driver: Any, capabilities: Iterable[str]) -> list[str]:
    """A clause for each method that a driver lacks although it claims the capability."""
    return [
        f"has capability {each}, but no method {name}"
        for each in sorted(capabilities)
        for name in CAPABILITY_METHODS.get(each, ())
        if not callable(getattr(driver, name, None))
    ]


def protocol_problems(driver: Any, api_version: str) -> tuple[str, ...]:
    """What is wrong with a driver that a package offers for an API group: clauses such as `has no method inputs`."""
    problems = [f"has no method {name}" for name in _METHODS if not callable(getattr(driver, name, None))]
    problems += _attribute_problems(driver)
    named = getattr(driver, "api_version", None)
    if named != api_version:
        problems.append(f"has api_version {named!r}, but its entry point is named {api_version!r}")
    if not problems:
        problems += _schema_problems(driver)
    return tuple(problems)


def _attribute_problems(driver: Any) -> list[str]:
    kind = getattr(driver, "kind", None)
    version = getattr(driver, "behavior_version", None)
    timeout = getattr(driver, "default_timeout", None)
    problems = []
    if not (isinstance(kind, str) and kind.isidentifier()):
        problems.append(f"has kind {kind!r}, which is no name")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        problems.append(f"has behavior_version {version!r}, where a whole number from 1 is expected")
    if not isinstance(timeout, timedelta) or not timedelta(0) < timeout <= _LONGEST:
        problems.append(f"has default_timeout {timeout!r}, where a timedelta of at most 7 days is expected")
    for name in ("reference_fields", "neutral_fields"):
        value = getattr(driver, name, None)
        if not isinstance(value, tuple | list) or not all(isinstance(each, str) for each in value):
            problems.append(f"has {name} {value!r}, where a tuple of texts is expected")
    return problems


def _schema_problems(driver: Any) -> list[str]:
    try:
        schema = driver.schema()
    except Exception as error:
        return [f"raises {type(error).__name__} when asked for its schema: {error}"]
    if not isinstance(schema, Mapping) or not isinstance(schema.get("properties", {}), Mapping):
        return ["has a schema that is not a mapping with `properties`"]
    try:
        json.dumps(schema, allow_nan=False)
    except (TypeError, ValueError) as error:
        return [f"has a schema that is not plain data: {error}"]
    shared = sorted(shared_fields() & set(schema.get("properties", {})))
    problems = [f"has field {name} in its schema, which every kind has already" for name in shared]
    problems += [f"has a schema that is invalid at {each.pointer or '/'}: {each.reason}" for each in flaws(schema)]
    return problems + _field_problems(driver, set(schema.get("properties", {})))


def _field_problems(driver: Any, fields: set[str]) -> list[str]:
    """What `reference_fields` and `neutral_fields` say of fields that there are not."""
    problems = [
        f"has neutral field {each}, which its schema lacks" for each in driver.neutral_fields if each not in fields
    ]
    adds = callable(getattr(driver, "expand", None))  # such a driver writes fields that its users may not
    for pointer in driver.reference_fields:
        try:
            first = next(iter(split(pointer)), None)
        except ValueError:
            problems.append(f"has reference field {pointer!r}, which is not a JSON pointer such as '/values'")
            continue
        if first not in fields and not adds:
            problems.append(f"takes references at {pointer or 'its whole spec'}, which its schema lacks")
    return problems
