"""References between units: finding them in a spec, checking them without state, putting values in their place.

Follows the section References between units of the Runs page.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, TypeGuard

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError, Problems
from nyl.core.pointers import join, lies_in, split
from nyl.core.suggestions import did_you_mean, suggest
from nyl.engine.graph import cycles_of
from nyl.project.resources import Environment
from nyl.project.units import RenderedUnit, UnitAddress
from nyl.units.undriven import INSTALL_DRIVER, undriven

if TYPE_CHECKING:
    from nyl.project.nobodys import NobodysDocument

_KEY = "fromUnit"
_FIELDS = {"unit", "environment", "output", "artifact", "pointer", "evidence"}


@dataclass(frozen=True)
class Reference:
    """A value that stands for an output, or for a place inside an artifact, of another unit's receipt."""

    pointer: str
    """Where it stands in the spec."""
    producer: UnitAddress
    output: str | None = None
    artifact: str | None = None
    artifact_pointer: str = ""

    def __str__(self) -> str:
        if self.output is not None:
            return f"output {self.output} of {self.producer}"
        return f"{self.artifact_pointer or 'all'} of artifact {self.artifact} of {self.producer}"


def is_reference(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value is written as a reference."""
    return isinstance(value, Mapping) and _KEY in value


def find_references(unit: RenderedUnit, fields: Sequence[str]) -> tuple[Reference, ...]:
    """The references of a unit's spec. `fields` are pointers of the fields that accept them.

    Raises NYL-REFERENCE-INVALID for malformed and misplaced ones and NYL-ATTESTATIONS-UNSUPPORTED, all together.
    """
    problems = Problems()
    found = tuple(read_references(unit, fields, problems.add))
    problems.raise_any()
    return found


def read_references(
    unit: RenderedUnit, fields: Sequence[str], report: Callable[[NylError], None]
) -> Iterator[Reference]:
    """The references of a unit's spec that are well-formed; what is wrong with the others is reported."""
    if not _has_reference(unit.spec):
        return
    for pointer, written in _walk(unit.spec, ""):
        if not any(lies_in(pointer, field) for field in fields):
            accepting = ", ".join(field.lstrip("/") for field in fields) or "none of its fields"
            report(_invalid(unit, pointer, f"stands where {unit.kind} takes no reference", f"use it in: {accepting}"))
            continue
        try:
            yield _parse(unit, pointer, written)
        except NylError as error:
            report(error)


def _has_reference(value: object) -> bool:
    """Whether there is any, found without spelling out where everything stands: most specs have none."""
    if isinstance(value, dict):
        return _KEY in value or any(map(_has_reference, value.values()))
    return isinstance(value, list) and any(map(_has_reference, value))


def _walk(value: object, pointer: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if is_reference(value):
        yield pointer, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _walk(item, join(pointer, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _walk(item, join(pointer, index))


def _parse(unit: RenderedUnit, pointer: str, written: Mapping[str, Any]) -> Reference:
    body = written[_KEY]
    example = f"write {{{_KEY}: {{unit: <name>, output: <output>}}}} or {{unit: <name>, artifact: <name>, pointer: /…}}"
    if len(written) != 1 or not isinstance(body, Mapping):
        raise _invalid(unit, pointer, "has keys beside fromUnit, or no mapping below it", example)
    if body.get("evidence") == "attested" or "attestations" in body:
        raise NylError(
            Code.ATTESTATIONS_UNSUPPORTED,
            f"{pointer} of unit {unit.name} asks for attestations, which units do not record yet.",
            "remove attestations and write evidence: published, which is the default",
            unit=unit.name,
            location=unit.location,
        )
    unknown = set(body) - _FIELDS
    texts = all(isinstance(each, str) for each in body.values())
    whole = (
        ("output" in body) != ("artifact" in body) and "unit" in body and not ("output" in body and "pointer" in body)
    )
    if unknown or not texts or not whole or body.get("evidence", "published") != "published":
        raise _invalid(unit, pointer, f"is malformed: {dict(body)!r}", example)
    if not _is_pointer(body.get("pointer", "")):
        fix = "start the pointer with a slash, and write ~0 for a tilde and ~1 for a slash inside a key"
        raise _invalid(unit, pointer, f"has the pointer {body['pointer']!r}", fix)
    return Reference(
        pointer,
        UnitAddress(body["unit"], body.get("environment")),
        body.get("output"),
        body.get("artifact"),
        body.get("pointer", ""),
    )


def _is_pointer(text: str) -> bool:
    try:
        split(text)
    except ValueError:
        return False
    return True


def _invalid(unit: RenderedUnit, pointer: str, what: str, fix: str) -> NylError:
    return NylError(
        Code.REFERENCE_INVALID,
        f"The reference at {pointer or '/'} of unit {unit.name} {what}.",
        fix,
        unit=unit.name,
        location=unit.location,
    )


def check_reference(
    reference: Reference, consumer: RenderedUnit, producer: RenderedUnit, wanted: str | None = None
) -> None:
    """Checks a reference against its producer's declaration, without state. `wanted` is the type that it must have.

    Raises NYL-REFERENCE-INVALID for an undeclared output and one of another type, NYL-REFERENCE-SENSITIVE for a
    sensitive one. An artifact is not declared, so its producer's existence is all there is to check.
    """
    if reference.output is None:
        return
    declared = producer.outputs.get(reference.output)
    if declared is None:
        names = ", ".join(sorted(producer.outputs)) or "no outputs"
        raise _invalid(
            consumer,
            reference.pointer,
            f"names {reference}, which declares {names}",
            did_you_mean(
                reference.output, producer.outputs, f"declare {reference.output} under outputs of {reference.producer}"
            ),
        )
    if declared.sensitive:
        raise NylError(
            Code.REFERENCE_SENSITIVE,
            f"The reference at {reference.pointer} of unit {consumer.name} names {reference}, which is sensitive.",
            "pass the value through the secrets provider: a sensitive output can never be referenced",
            unit=consumer.name,
            location=consumer.location,
        )
    if wanted is not None and not _fits(declared.type, wanted):
        raise _invalid(
            consumer,
            reference.pointer,
            f"names {reference}, which declares type {declared.type} where {wanted} is wanted",
            f"declare {reference.output} as {wanted}, or correct what wants it",
        )


def _fits(declared: str, wanted: str) -> bool:
    return declared == wanted or (declared, wanted) == ("integer", "number")


def unknown_producer(
    address: UnitAddress, consumer: RenderedUnit, environment: str, known: Collection[str] | None, others: Iterable[str]
) -> NylError:
    """NYL-DEPENDENCY-UNKNOWN, naming the nearest unit, or environment, that there is.

    `known` are the units that the address's environment selects, None where there is no such environment; `others` are
    the environments that there are.
    """
    where = address.environment or environment
    if known is None:
        message = f"Unit {consumer.name} depends on {address}, and there is no Environment {where}."
        fix = suggest(where, others, "Environment")
    else:
        message = f"Unit {consumer.name} depends on {address.unit}, which environment {where} does not select."
        itself = consumer.name if where == environment else None
        candidates = [each for each in known if each != itself]
        fix = did_you_mean(
            address.unit, candidates, f"declare unit {address.unit}, or match the unitSelector of {where}"
        )
    return NylError(
        Code.DEPENDENCY_UNKNOWN,
        message,
        fix,
        unit=consumer.name,
        environment=environment,
        location=consumer.location,
    )


def undriven_producer(
    consumer: RenderedUnit, environment: Environment, nobodys: Iterable["NobodysDocument"]
) -> NylError | None:
    """NYL-KIND-UNKNOWN for a producer that would be a unit of the environment if a driver had its kind."""
    for each in nobodys:
        if environment.selects(each.labels):
            return NylError(
                Code.KIND_UNKNOWN,
                f"{consumer.location}: unit {consumer.name} depends on what {each.location} declares, but "
                f"{undriven(each.kind, each.api_version)}.",
                INSTALL_DRIVER,
                unit=consumer.name,
                environment=environment.name,
                location=consumer.location,
            )
    return None


def substitute(value: object, values: Mapping[str, Any], pointer: str = "") -> Any:
    """A spec with the value of every reference in its place. `values` is by the pointer of the reference."""
    if is_reference(value):
        return values[pointer]
    if isinstance(value, Mapping):
        return {key: substitute(item, values, join(pointer, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [substitute(item, values, join(pointer, index)) for index, item in enumerate(value)]
    return value


def collect_cycles(dependencies: Mapping[str, Set[str]], what: str, problems: Problems) -> None:
    """Adds NYL-DEPENDENCY-CYCLE with the whole path for each cycle."""
    for cycle in cycles_of(dependencies):
        problems.add(
            NylError(
                Code.DEPENDENCY_CYCLE,
                f"{what} depend on each other in a circle: {' → '.join(cycle)}.",
                f"remove one of the references or dependsOn entries between {', '.join(sorted(set(cycle)))}",
            )
        )
