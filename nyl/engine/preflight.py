"""What is checked of an environment's units before any state is read: references, cycles, admission, policies."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from nyl.core.articles import with_article
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError, Problems
from nyl.engine.claims import check_claims
from nyl.engine.references import (
    Reference,
    check_reference,
    collect_cycles,
    read_references,
    undriven_producer,
    unknown_producer,
)
from nyl.project.resources import Environment
from nyl.project.units import ApprovalBinding, DeletionPolicy, RenderedUnit, UnitAddress
from nyl.units.admission import check_admission, secret_keys
from nyl.units.completion import Expansion
from nyl.units.driver import Capability, Driver, ResolvedUnit

if TYPE_CHECKING:
    from nyl.project.nobodys import NobodysDocument

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

    @property
    def reports_digest(self) -> bool:
        """Whether its driver reports digests of what its execution would change."""
        return Capability.DIGEST in self.driver.capabilities(self.rendered.spec)

    def located(self, error: NylError) -> NylError:
        """An error as one of this unit, at its document unless the error names a better place."""
        known = error.diagnostic
        place = known.location or self.rendered.location
        return NylError(known.code, known.message, known.fix, unit=self.name, location=place)

    def resolved(self, environment: str, spec: Mapping[str, Any]) -> ResolvedUnit:
        """The unit as its driver sees it, with a spec that has values where references stood."""
        rendered = self.rendered
        return ResolvedUnit(environment, rendered.name, rendered.kind, spec, rendered.outputs, rendered.timeout)


@dataclass(frozen=True)
class Nameable:
    """What references can name beside the units of their own environment that can be rendered."""

    others: Renderings
    environments: Iterable[str] = ()
    """The names of all environments that there are."""
    broken: Iterable[str] = ()
    """The own environment's units that cannot be rendered."""
    nobodys: Callable[[str], Sequence["NobodysDocument"]] = lambda _: ()
    """The documents of a name whose kinds no installed driver offers."""


def check_units(
    environment: Environment,
    units: Mapping[str, RenderedUnit],
    driver_of: Callable[[RenderedUnit], Driver],
    nameable: Nameable,
    problems: Problems,
    expansions: Mapping[str, Expansion] = MappingProxyType({}),
) -> dict[str, CheckedUnit]:
    """Checks an environment's enabled units and what they refer to; adds every problem that it finds.

    `nameable` is what they can refer to beside each other, `expansions` what drivers added to them.
    """
    own: KnownUnits = {**dict.fromkeys(nameable.broken), **units}
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
        types = expansions[each.name].types if each.name in expansions else {}
        _check_producers(each, environment, _Known(own, nameable, types), report)
    for problem in check_claims(units, expansions):
        report(problem)
    collect_cycles({name: each.needs for name, each in checked.items()}, "Units", problems)
    return checked


@dataclass(frozen=True)
class _Known:
    """What the references of a unit can name."""

    own: KnownUnits
    nameable: Nameable
    types: Mapping[str, str]
    """Pointer of a reference -> the type that its value must have."""


def _check_producers(
    unit: CheckedUnit, environment: Environment, known: _Known, report: Callable[[NylError], None]
) -> None:
    for address in sorted({UnitAddress(need) for need in unit.needs} | unit.foreign, key=str):
        nameable = known.nameable
        there = nameable.others(address.environment) if address.environment else known.own
        if there is None or address.unit not in there:
            report(
                undriven_producer(unit.rendered, environment, nameable.nobodys(address.unit))
                or unknown_producer(address, unit.rendered, environment.name, there, nameable.environments)
            )
            continue
        producer = there[address.unit]
        for reference in unit.references:
            if producer is not None and reference.producer.seen_from(environment.name) == address:
                try:
                    check_reference(reference, unit.rendered, producer, known.types.get(reference.pointer))
                except NylError as error:
                    report(error)


def _policy_problems(environment: Environment, unit: RenderedUnit, driver: Driver) -> Iterator[NylError]:
    denied = check_admission(unit, environment.name, environment.admission, secret_keys(driver, unit.spec))
    if denied is not None:
        yield denied
    if unit.approval is None and unit.deletion_policy is None:
        return
    capabilities = driver.capabilities(unit.spec)
    binds_plan = unit.approval is not None and unit.approval.bind is ApprovalBinding.PLAN
    if binds_plan and Capability.DIGEST not in capabilities:
        yield _invalid(
            unit,
            f"has approval.bind: plan, but {with_article(unit.kind)} like it plans no change that an approval could "
            "bind to",
            "write bind: key, or leave it out; a Command plans with a plan step",
        )
    if unit.approval is not None and unit.approval.require_digest and not binds_plan:
        yield _invalid(
            unit,
            "has approval.requireDigest, which is about the digests of changes, but approvals of it bind to its key",
            "add bind: plan, or leave requireDigest out",
        )
    if unit.deletion_policy is DeletionPolicy.TEARDOWN and Capability.TEARDOWN not in capabilities:
        yield _invalid(
            unit,
            f"has deletionPolicy: Teardown, but {with_article(unit.kind)} like it cannot be torn down",
            "write deletionPolicy: Retain, or leave it out",
        )


def _invalid(unit: RenderedUnit, what: str, fix: str) -> NylError:
    message = f"Unit {unit.name} {what}."
    return NylError(Code.RESOURCE_INVALID, message, fix, unit=unit.name, location=unit.location)


def environment_dependencies(units: Iterable[CheckedUnit]) -> frozenset[str]:
    """The environments that an environment's units depend on."""
    return frozenset(each.environment for unit in units for each in unit.foreign if each.environment is not None)
