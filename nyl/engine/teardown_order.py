"""Which recorded units depend on which: teardown goes the other way round, consumers first.

Follows the section Order of the page Deletion and holds.
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

from nyl.engine.graph import dependents_of
from nyl.state.documents import DesiredUnit, ObservedUnit, Provenance
from nyl.state.snapshot import StateSnapshot

Needs = Mapping[str, frozenset[str]]
"""Unit -> the units of its environment that it depends on."""


def recorded_needs(desired: Mapping[str, DesiredUnit], observed: Mapping[str, ObservedUnit]) -> Needs:
    """What each recorded unit depends on: what it reads, what its receipt was made from, and its dependsOn."""
    return {
        name: frozenset(_needs(document, observed.get(name))) & desired.keys() - {name}
        for name, document in desired.items()
    }


def waits_for(unit: str, needs: Needs, consumers: Mapping[str, Set[str]], leaving: Set[str]) -> frozenset[str]:
    """The units among `leaving` that depend on a unit, directly or through units that stay, and so must be gone before.

    `consumers` are the needs the other way round. Units whose records depend on each other in a circle, as changing
    dependencies can leave them, do not wait for one another.
    """
    found, seen, pending = set[str](), {unit}, [unit]
    while pending:
        users = consumers.get(pending.pop(), frozenset[str]()) - seen
        seen |= users
        found |= users & leaving
        pending += users - leaving
    return frozenset(found - _reachable(unit, needs)) if found else frozenset()


def teardown_order(needs: Needs) -> tuple[str, ...]:
    """Units with consumers before their producers, ties by name; a circle is cut where its first name stands."""
    left = {name: set(each) for name, each in needs.items()}
    consumers = {name: set(each) for name, each in dependents_of(left).items()}
    order: list[str] = []
    while left:
        free = sorted(name for name in left if not consumers[name] & left.keys()) or [min(left)]
        order += free
        for name in free:
            del left[name]
    return tuple(order)


def references_to(state: StateSnapshot, environment: str, unit: str) -> tuple[str, ...]:
    """The units of another environment's state that read a unit of `environment`, or name it under dependsOn."""
    found = set()
    for name, document in state.desired.items():
        observed = state.observed.get(name)
        receipt = observed.receipt if observed else None
        read = [*document.provenance.values(), *(receipt.provenance.values() if receipt else ())]
        named = map(_address, document.spec.get("dependsOn", ()))
        if any((each.unit, each.environment) == (unit, environment) for each in read) or (unit, environment) in named:
            found.add(name)
    return tuple(sorted(found))


def _reachable(unit: str, needs: Needs) -> set[str]:
    found: set[str] = set()
    pending = [unit]
    while pending:
        for need in needs.get(pending.pop(), ()):
            if need not in found:
                found.add(need)
                pending.append(need)
    return found


def _needs(document: DesiredUnit, observed: ObservedUnit | None) -> Iterator[str]:
    receipt = observed.receipt if observed else None
    environment = document.unit.environment
    yield from _own(document.provenance.values(), environment)
    yield from _own(receipt.provenance.values() if receipt else (), environment)
    for each in document.spec.get("dependsOn", ()):
        name, where = _address(each)
        if where in (None, environment):
            yield name


def _own(provenance: Iterable[Provenance], environment: str) -> Iterator[str]:
    return (each.unit for each in provenance if each.environment in (None, environment))


def _address(written: Any) -> tuple[str, str | None]:
    return (written, None) if isinstance(written, str) else (written["unit"], written.get("environment"))
