"""The defaults of EnvironmentGroups, merged into the environments that they select."""

from collections.abc import Iterable, Mapping
from typing import Any

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError, Problems
from nyl.project.resources import EnvironmentGroup

_DEEP = "values"


def merged_spec(
    spec: Mapping[str, Any],
    name: str,
    labels: Mapping[str, str],
    groups: Iterable[EnvironmentGroup],
    problems: Problems,
) -> dict[str, Any]:
    """An Environment's spec over the defaults of its groups: `values` deeply, other fields whole.

    Groups that contradict each other, also where the Environment has a value of its own, are problems
    (NYL-GROUP-CONFLICT).
    """
    defaults: dict[str, Any] = {}
    givers: dict[str, EnvironmentGroup] = {}
    for group in sorted(groups, key=lambda each: each.name):
        if all(labels.get(key) == value for key, value in group.match_labels.items()):
            for conflict in _add(defaults, group, givers):
                problems.add(_conflict_error(name, conflict))
    result = {**defaults, **spec}
    if _DEEP in defaults:
        result[_DEEP] = deep_merge(defaults[_DEEP], spec.get(_DEEP, {}))
    return result


def deep_merge(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Both mappings in one; where both have a key, mappings merge and anything else comes from `over`."""
    result = dict(under)
    for key, value in over.items():
        known = result.get(key)
        both = isinstance(known, dict) and isinstance(value, dict)
        result[key] = deep_merge(known, value) if both and known is not None else value
    return result


@dataclass(frozen=True)
class _Conflict:
    path: str
    one: EnvironmentGroup
    other: EnvironmentGroup


def _add(defaults: dict[str, Any], group: EnvironmentGroup, givers: dict[str, EnvironmentGroup]) -> list[_Conflict]:
    found: list[_Conflict] = []
    for field, value in group.defaults.items():
        if field == _DEEP:
            found += _add_values(defaults.setdefault(_DEEP, {}), value, (_DEEP,), group, givers)
        elif field in defaults and not _same(defaults[field], value):
            found.append(_Conflict(field, givers[field], group))
        else:
            defaults[field] = value
            givers.setdefault(field, group)
    return found


def _add_values(
    into: dict[str, Any],
    values: Mapping[str, Any],
    path: tuple[str, ...],
    group: EnvironmentGroup,
    givers: dict[str, EnvironmentGroup],
) -> list[_Conflict]:
    found: list[_Conflict] = []
    for key, value in values.items():
        here = ".".join((*path, key))
        known = into.get(key)
        if key not in into:
            into[key] = deep_merge({}, value) if isinstance(value, dict) else value
            _remember(into[key], (*path, key), group, givers)
        elif isinstance(known, dict) and isinstance(value, dict):
            found += _add_values(known, value, (*path, key), group, givers)
        elif not _same(known, value):
            found.append(_Conflict(here, givers[here], group))
    return found


def _remember(value: Any, path: tuple[str, ...], group: EnvironmentGroup, givers: dict[str, EnvironmentGroup]) -> None:
    givers.setdefault(".".join(path), group)
    if isinstance(value, dict):
        for key, each in value.items():
            _remember(each, (*path, key), group, givers)


def _same(one: Any, other: Any) -> bool:
    """Equal as JSON is: `true` is not `1`."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)


def _conflict_error(environment: str, conflict: _Conflict) -> NylError:
    one, other = conflict.one, conflict.other
    return NylError(
        Code.GROUP_CONFLICT,
        f"{other.location}: the groups {one.name} ({one.location}) and {other.name} give Environment {environment} "
        f"different defaults for {conflict.path}.",
        "remove the default from one of the groups, or let only one of them select the environment",
        location=other.location,
        environment=environment,
    )
