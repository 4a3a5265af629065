"""What is checked of an environment's units before any state is read: references, cycles, admission, policies."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError, Problems
from nyl.engine.graph import cycle_of
from nyl.engine.references import Reference, check_reference, collect_cycle, read_references, unknown_producer
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
    environments: Iterable[str] = (),
) -> dict[str, CheckedUnit]:
    """Checks an environment's enabled units and what they refer to; adds every problem that it finds.

    `broken` are units that the environment has too, and that cannot be rendered; `environments` are all there are.
    """
    known: KnownUnits = {**dict.fromkeys(broken), **units}
    checked: dict[str, CheckedUnit] = {}

    def report(problem: NylError) -> None:
        problems.add(problem.about(environment=environment.name))

    for name, unit in units.items():
        driver = driver_of(unit)
        for problem in _policy_problems(environment, unit, driver):
            report(problem)
        references = tuple(read_references(unit, driver.reference_fields, report))
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
        _check_producers(each, environment, _Known(known, others, environments), report)
    collect_cycle(cycle_of({name: each.needs for name, each in checked.items()}), "Units", problems)
    return checked


@dataclass(frozen=True)
class _Known:
    """What references can name: the environment's own units, those of others, and the others' names."""

    units: KnownUnits
    others: Renderings
    environments: Iterable[str]


def _check_producers(
    unit: CheckedUnit, environment: Environment, known: _Known, report: Callable[[NylError], None]
) -> None:
    for address in sorted({UnitAddress(need) for need in unit.needs} | unit.foreign, key=str):
        there = known.others(address.environment) if address.environment else known.units
        if there is None or address.unit not in there:
            report(unknown_producer(address, unit.rendered, environment.name, there, known.environments))
            continue
        producer = there[address.unit]
        for reference in unit.references:
            if producer is not None and reference.producer.seen_from(environment.name) == address:
                try:
                    check_reference(reference, unit.rendered, producer)
                except NylError as error:
                    report(error)


def _policy_problems(environment: Environment, unit: RenderedUnit, driver: Driver) -> Iterator[NylError]:
    denied = check_admission(unit, environment.name, environment.admission)
    if denied is not None:
        yield denied
    if unit.approval is not None:
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
