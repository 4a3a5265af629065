"""Whether what a driver says about itself holds together: part of the conformance suite. Nothing is run."""

import copy
from collections.abc import Iterable, Mapping
from typing import Any, cast

from nyl.core.pointers import get, replace
from nyl.core.schemas import Validator
from nyl.units.driver import Capability, Driver, RecoveryPolicy, TearsDown
from nyl.units.inputs import Inputs
from nyl.units.protocol import CAPABILITY_METHODS, missing_methods, protocol_problems

_REFERENCE = {"fromUnit": {"unit": "producer", "output": "value"}}


def declaration_problems(driver: Driver, specs: Iterable[Mapping[str, Any]]) -> list[str]:
    """What schema, fields, capabilities, policies and inputs have against each other, for some valid specs."""
    problems = list(protocol_problems(driver, driver.api_version))
    if problems:
        return problems
    schema = driver.schema()
    if driver.schema() != schema:
        problems.append("gives another schema each time it is asked")
    validator = Validator(schema)
    offered: set[Capability] = set()
    refused: list[str] = []
    for spec in specs:
        found = [f"refuses {each.pointer or '/'} of a valid spec: {each.reason}" for each in validator.problems(spec)]
        refused += found
        problems += _answers(driver, spec, offered) if not found else []
    if not refused:
        problems += _idle_methods(driver, offered)
    return list(dict.fromkeys(problems + refused))


def _answers(driver: Driver, spec: Mapping[str, Any], offered: set[Capability]) -> list[str]:
    """What is wrong with what a driver says of one spec. Adds the capabilities that it offers for it."""
    try:
        problems, capabilities = _spec_problems(driver, spec)
        offered |= capabilities
        return problems + _variant_problems(driver, spec)
    except Exception as error:
        return [f"raises {type(error).__name__} when it is asked about a valid spec: {error}"]


def _spec_problems(driver: Driver, spec: Mapping[str, Any]) -> tuple[list[str], frozenset[Capability]]:
    before = copy.deepcopy(spec)
    problems = []
    capabilities = driver.capabilities(spec)
    if not isinstance(capabilities, frozenset | set) or not all(isinstance(each, Capability) for each in capabilities):
        problems.append(f"has capabilities {capabilities!r}, where a set of members of Capability is expected")
        return problems, frozenset()
    if driver.capabilities(spec) != capabilities:
        problems.append("has other capabilities each time it is asked")
    if Capability.DIGEST in capabilities and Capability.PLAN not in capabilities:
        problems.append("reports change digests, but cannot plan")
    problems += missing_methods(driver, capabilities)
    if callable(getattr(driver, "native", None)) and not {Capability.PLAN, Capability.DIGEST} <= set(capabilities):
        problems.append("runs its tool natively, but plans no change that could be approved after that")
    problems += _secret_problems(driver, spec)
    policy = driver.recovery(spec)
    if not isinstance(policy, RecoveryPolicy):
        problems.append(f"has recovery policy {policy!r}, where a RecoveryPolicy is expected")
    if policy is RecoveryPolicy.INSPECT and Capability.INSPECT not in capabilities:
        problems.append("recovers by inspecting, but cannot inspect")
    if Capability.TEARDOWN in capabilities and callable(getattr(driver, "teardown_recovery", None)):
        problems += _teardown_policy_problems(cast(TearsDown, driver).teardown_recovery(spec))
    problems += _input_problems(spec, driver.inputs(spec), driver.inputs(spec))
    if spec != before:
        problems.append("changes the spec that it is given")
    return problems, frozenset(capabilities)


def _secret_problems(driver: Driver, spec: Mapping[str, Any]) -> list[str]:
    """What is wrong with the keys of secrets that a driver asks for, where it does."""
    ask = getattr(driver, "secrets", None)
    if not callable(ask):
        return []
    keys = ask(spec)
    if not isinstance(keys, tuple | list) or not all(isinstance(each, str) for each in keys):
        return [f"asks for secrets {keys!r}, where a tuple of their keys is expected"]
    return [] if ask(spec) == keys else ["asks for other secrets each time it is asked"]


def _idle_methods(driver: Driver, offered: set[Capability]) -> list[str]:
    """Methods that nyl never calls, because no spec has their capability."""
    return [
        f"has method {names[0]}, but capability {capability} for none of the specs"
        for capability, names in CAPABILITY_METHODS.items()
        if capability not in offered and callable(getattr(driver, names[0], None))
    ]


def _teardown_policy_problems(policy: object) -> list[str]:
    if policy in (RecoveryPolicy.CONVERGE, RecoveryPolicy.MANUAL):
        return []
    return [f"has teardown recovery policy {policy!r}, where converge or manual is expected"]


def _input_problems(spec: Mapping[str, Any], inputs: Inputs, again: Inputs) -> list[str]:
    if not isinstance(inputs, Inputs):
        return [f"reads {inputs!r}, where Inputs are expected"]
    problems = [] if inputs == again else ["reads something else each time it is asked"]
    pointers = {each.pointer for each in inputs.sources}
    problems += [f"names source {pointer}, which the spec lacks" for pointer in pointers if not _has(spec, pointer)]
    for files in inputs.files:
        if files.source not in pointers | {""}:
            problems.append(f"reads files of source {files.source}, which it does not name")
    return problems


def _variant_problems(driver: Driver, spec: Mapping[str, Any]) -> list[str]:
    """What a driver makes of a spec that means the same, or that has a reference where its value is not known yet."""
    inputs, problems = driver.inputs(spec), []
    if _said(driver, _reordered(spec)) != _said(driver, spec):
        problems.append("says something else of a spec whose keys stand in another order")
    for name in driver.neutral_fields:
        less = {key: value for key, value in spec.items() if key != name}
        if name in spec and name not in driver.schema().get("required", ()) and driver.inputs(less) != inputs:
            problems.append(f"reads something else without its neutral field {name}, which is not to change the key")
    for pointer in filter(lambda each: _has(spec, each), driver.reference_fields):
        unresolved = replace(spec, pointer, _with_references(get(spec, pointer)))
        try:
            asked = driver.inputs(unresolved)
            driver.capabilities(unresolved)
        except Exception as error:
            problems.append(f"raises {type(error).__name__} where {pointer} has references without values: {error}")
        else:
            if asked.sources != inputs.sources:
                problems.append(f"names other sources where {pointer} has references without values")
    return problems


def _with_references(value: Any) -> Any:
    """The value as a spec has it before its references are resolved."""
    if isinstance(value, Mapping) and value:
        return {key: _with_references(each) for key, each in value.items()}
    return _REFERENCE


def _said(driver: Driver, spec: Mapping[str, Any]) -> tuple[object, ...]:
    inputs = driver.inputs(spec)
    read = frozenset(inputs.sources), frozenset(inputs.files), inputs.fingerprint, inputs.private
    return frozenset(driver.capabilities(spec)), driver.recovery(spec), read


def _reordered(value: Any) -> Any:
    """A copy of plain data in which every mapping has its keys the other way round."""
    if isinstance(value, Mapping):
        return {key: _reordered(value[key]) for key in reversed(list(value))}
    return [_reordered(each) for each in value] if isinstance(value, list | tuple) else value


def _has(spec: Mapping[str, Any], pointer: str) -> bool:
    try:
        get(spec, pointer)
    except (KeyError, ValueError):
        return False
    return True
