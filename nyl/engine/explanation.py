"""How a unit's inputs differ from those of its receipt: spec fields by pointer, files by name."""

from collections.abc import Iterator, Mapping

from nyl.core.canonical import canonical_json
from nyl.core.pointers import join
from nyl.engine.decision import outdated_reason
from nyl.engine.keys import keyed_spec
from nyl.engine.ledger import Ledger
from nyl.engine.preflight import CheckedUnit
from nyl.engine.resolution import Resolution
from nyl.engine.results import Explanation
from nyl.state.documents import InputRecord

OUTSIDE = Explanation(other=("the unit is outside the ownership set, so that there are no new inputs to compare with",))


def explain(unit: CheckedUnit, resolution: Resolution, ledger: Ledger) -> Explanation:
    """Compares a resolution with the desired document that the receipt was produced for.

    That document is the recorded one, unless a later attempt failed and left another: then its inputs are gone, and
    the explanation says so.
    """
    observed, recorded = ledger.observed_of(unit.name), ledger.desired_of(unit.name)
    receipt = observed.receipt if observed else None
    if resolution.resolved_spec is None or resolution.inputs is None:
        return Explanation(other=(resolution.decision.reason or "the unit is not resolved",))
    if receipt is None or recorded is None:
        return Explanation(other=("the unit has no receipt to compare with",))
    if receipt.execution_key != recorded.execution_key:
        return Explanation(other=("the inputs of the receipt are not stored: a later execution failed",))
    other = list(_other(recorded.inputs, resolution.inputs))
    if receipt.behavior_version != unit.driver.behavior_version:
        other.append(outdated_reason(receipt, unit.driver.behavior_version))
    before = keyed_spec(unit.driver, recorded.resolved_spec, recorded.inputs.sources)
    after = keyed_spec(unit.driver, resolution.resolved_spec, resolution.inputs.sources)
    return Explanation(
        tuple(_differences(before, after, "")), tuple(_files(recorded.inputs, resolution.inputs)), tuple(other)
    )


def _differences(before: object, after: object, pointer: str) -> Iterator[str]:
    pairs = _children(before, after)
    if pairs is None:
        if canonical_json(before) != canonical_json(after):  # as keys see it: 1 is 1.0, and not true
            yield f"~{pointer}"
        return
    old, new = pairs
    for key in sorted({*old, *new}):
        place = join(pointer, key)
        if key not in old:
            yield f"+{place}"
        elif key not in new:
            yield f"-{place}"
        else:
            yield from _differences(old[key], new[key], place)


def _children(before: object, after: object) -> tuple[Mapping[str, object], Mapping[str, object]] | None:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        return before, after
    if isinstance(before, list) and isinstance(after, list):
        return _by_index(before), _by_index(after)
    return None


def _by_index(items: list[object]) -> dict[str, object]:
    return {str(at): item for at, item in enumerate(items)}


def _files(before: InputRecord, after: InputRecord) -> Iterator[str]:
    old = {(each.source, each.path): each for each in before.files}
    new = {(each.source, each.path): each for each in after.files}
    for key in sorted({*old, *new}):
        name = f"{key[1]} (of {key[0]})" if key[0] else key[1]
        if key not in old:
            yield f"+{name}"
        elif key not in new:
            yield f"-{name}"
        elif old[key] != new[key]:
            yield f"~{name}"


def _other(before: InputRecord, after: InputRecord) -> Iterator[str]:
    if before.fingerprint != after.fingerprint:
        yield "the fingerprint's output changed"
    if before.variables != after.variables:
        yield f"the variables the unit may read changed from {_names(before)} to {_names(after)}"


def _names(inputs: InputRecord) -> str:
    return ", ".join(inputs.variables) or "none"
