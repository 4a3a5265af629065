"""What is checked of an environment's units before any state is read: references, cycles, admission, policies."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError, Problems
from nyl.engine.graph import cycle_of
from nyl.engine.references import Reference, check_reference, collect_cycle, find_references, unknown_producer
from nyl.project.resources import Environment
from nyl.project.units import DeletionPolicy, RenderedUnit, UnitAddress
from nyl.units.admission import check_admission
from nyl.units.driver import Capability, Driver, ResolvedUnit

KnownUnits = Mapping[str, RenderedUnit | None]
"""Enabled units by name; None for one that cannot be rendered, of which nothing more can be checked."""

Renderings = Callable[[str], KnownUnits | None]
"""The units of another environment by its name; None when there is no such environment."""


@dataclass(frozen=True)
class CheckedUnit:
    """A rendered unit that passed every check, with what it depends on."""

    rendered: RenderedUnit
    driver: Driver
    references: tuple[Reference, ...]
    needs: frozenset[str]
    """Units of the same environment that must be current first."""
    foreign: frozenset[UnitAddress]
    """Units of other environments that must be current first."""

    @property
    def name(self) -> str:
        """The unit's name."""
        return self.rendered.name

    def located(self, error: NylError) -> NylError:
        """An error as one of this unit, at its document unless the error names a better place."""
        known = error.diagnostic
        place = known.location or self.rendered.location
        return NylError(known.code, known.message, known.fix, unit=self.name, location=place)

    def resolved(self, environment: str, spec: Mapping[str, Any]) -> ResolvedUnit:
        """The unit as its driver sees it, with a spec that has values where references stood."""
        rendered = self.rendered
        return ResolvedUnit(environment, rendered.name, rendered.kind, spec, rendered.outputs, rendered.timeout)


def check_units(
    environment: Environment,
    units: Mapping[str, RenderedUnit],
    driver_of: Callable[[RenderedUnit], Driver],
    others: Renderings,
    problems: Problems,
    broken: Iterable[str] = (),
) -> dict[str, CheckedUnit]:
    """Checks an environment's enabled units and what they refer to; adds every problem that it finds.

    `broken` are units that the environment has too, and that cannot be rendered.
    """
    known: KnownUnits = {**dict.fromkeys(broken), **units}
    checked: dict[str, CheckedUnit] = {}
    for name, unit in units.items():
        driver = driver_of(unit)
        for problem in _policy_problems(environment, unit, driver):
            problems.add(problem.about(environment=environment.name))
        try:
            references = find_references(unit, driver.reference_fields)
        except NylError as error:
            problems.add(error.about(environment=environment.name))
            continue
        named = (*unit.depends_on, *(each.producer for each in references))
        addresses = {each.seen_from(environment.name) for each in named}
        checked[name] = CheckedUnit(
            unit,
            driver,
            references,
            frozenset(each.unit for each in addresses if each.environment is None),
            frozenset(each for each in addresses if each.environment is not None),
        )
    for each in checked.values():
        _check_producers(each, environment, known, others, problems)
    collect_cycle(cycle_of({name: each.needs for name, each in checked.items()}), "Units", problems)
    return checked


def _check_producers(
    unit: CheckedUnit,
    environment: Environment,
    units: KnownUnits,
    others: Renderings,
    problems: Problems,
) -> None:
    for address in sorted({UnitAddress(need) for need in unit.needs} | unit.foreign, key=str):
        known = others(address.environment) if address.environment else units
        if known is None or address.unit not in known:
            problems.add(unknown_producer(address, unit.rendered, environment.name, list(known or ())))
            continue
        producer = known[address.unit]
        for reference in unit.references:
            if producer is not None and reference.producer.seen_from(environment.name) == address:
                try:
                    check_reference(reference, unit.rendered, producer)
                except NylError as error:
                    problems.add(error.about(environment=environment.name))


def _policy_problems(environment: Environment, unit: RenderedUnit, driver: Driver) -> Iterator[NylError]:
    denied = check_admission(unit, environment.name, environment.admission)
    if denied is not None:
        yield denied
    if unit.manual_approval:
        yield NylError(
            Code.APPROVAL_UNSUPPORTED,
            f"Unit {unit.name} asks for manual approval, which this version of nyl cannot give.",
            "remove approval, and gate the pipeline that runs nyl reconcile instead",
            unit=unit.name,
            location=unit.location,
        )
    can_tear_down = Capability.TEARDOWN in driver.capabilities(unit.spec)
    if unit.deletion_policy is DeletionPolicy.TEARDOWN and not can_tear_down:
        yield NylError(
            Code.RESOURCE_INVALID,
            f"Unit {unit.name} has deletionPolicy: Teardown, but a {unit.kind} like it cannot be torn down.",
            "write deletionPolicy: Retain, or leave it out",
            unit=unit.name,
            location=unit.location,
        )


def environment_dependencies(units: Iterable[CheckedUnit]) -> frozenset[str]:
    """The environments that an environment's units depend on."""
    return frozenset(each.environment for unit in units for each in unit.foreign if each.environment is not None)
