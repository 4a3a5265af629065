"""What a plan holds, and the digest of its change, from the JSON that the tool shows of it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from nyl.core.canonical import digest
from nyl.core.dataclass import dataclass
from nyl.units.terraform.declarations import Declarations, read_declarations

_SENSITIVE = {"nyl": "sensitive"}
_UNKNOWN = {"nyl": "known after apply"}
_NONE: tuple[list[str], ...] = (["no-op"], [])

JSON_HOOKS: Mapping[str, Callable[[str], object]] = {"parse_float": lambda text: {"number": text}}
"""How the JSON of a plan must be read: no two numbers that differ get the same digest."""


class PlanUnreadable(ValueError):
    """A plan whose JSON is not as this module knows it."""


@dataclass(frozen=True)
class Change:
    """What a plan would change."""

    digest: str
    """Of every change of a resource and of an output: equal for the same change on any machine.

    Sensitive values, and values that are known after the apply only, count as markers.
    """
    steps: tuple[str, ...]
    """What changes, such as `create aws_vpc.main`."""
    applyable: bool | None
    """Whether there is anything to apply; None where the tool does not say so."""


@dataclass(frozen=True)
class ShownPlan:
    """What the JSON of a plan tells."""

    change: Change
    module: Declarations


def read_plan(plan: Any, *, destroy: bool) -> ShownPlan:
    """What a plan's JSON tells; `destroy` says what it was made for. Raises PlanUnreadable."""
    try:
        resources = [_resource(each) for each in plan.get("resource_changes", []) if _counts(each)]
        outputs = {
            name: _values(each) for name, each in plan.get("output_changes", {}).items() if each["actions"] not in _NONE
        }
        applyable = plan.get("applyable")
        change = Change(
            digest({"destroy": destroy, "resources": sorted(resources, key=_order), "outputs": outputs}),
            tuple(_steps(resources, outputs)),
            applyable if isinstance(applyable, bool) else None,
        )
        return ShownPlan(change, read_declarations(plan))
    except (AttributeError, KeyError, TypeError, IndexError, ValueError, RecursionError) as error:
        raise PlanUnreadable(f"{type(error).__name__}: {error}") from error


def _counts(resource: Mapping[str, Any]) -> bool:
    change = resource["change"]
    return change["actions"] not in _NONE or "previous_address" in resource or "importing" in change


def _resource(resource: Mapping[str, Any]) -> dict[str, Any]:
    change = resource["change"]
    told = {name: resource[name] for name in ("address", "previous_address", "deposed") if name in resource}
    imported = {"importing": change["importing"]} if "importing" in change else {}
    return {**told, **imported, **_values(change)}


def _values(change: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "actions": change["actions"],
        "before": _marked(change.get("before"), {}, change.get("before_sensitive")),
        "after": _marked(change.get("after"), change.get("after_unknown"), change.get("after_sensitive")),
    }


def _marked(value: Any, unknown: Any, sensitive: Any) -> Any:
    """A value with markers for what is unknown or sensitive; both have the value's shape, with true where it is so."""
    if sensitive is True:
        return _SENSITIVE
    if unknown is True:
        return _UNKNOWN
    if isinstance(value, dict) or isinstance(unknown, dict) or isinstance(sensitive, dict):
        parts = [each if isinstance(each, dict) else {} for each in (value, unknown, sensitive)]
        names = [*parts[0], *(name for name in parts[1] if name not in parts[0])]
        return {name: _marked(*(each.get(name) for each in parts)) for name in names} if names or value == {} else value
    if isinstance(value, list) or isinstance(unknown, list):
        rows = [each if isinstance(each, list) else [] for each in (value, unknown, sensitive)]
        return [_marked(*(_at(each, index) for each in rows)) for index in range(max(map(len, rows[:2])))]
    return value


def _at(row: list[Any], index: int) -> Any:
    return row[index] if index < len(row) else None


def _order(resource: Mapping[str, Any]) -> tuple[str, str]:
    return resource["address"], resource.get("deposed", "")


def _steps(resources: list[dict[str, Any]], outputs: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for each in sorted(resources, key=_order):
        yield f"{_verb(each)} {each['address']}"
    for name in sorted(outputs):
        yield f"{outputs[name]['actions'][0]} output {name}"


def _verb(resource: Mapping[str, Any]) -> str:
    actions = resource["actions"]
    if len(actions) > 1:
        return "replace"
    if actions[0] == "no-op":
        return "move" if "previous_address" in resource else "import"
    return str(actions[0])
