"""The spec fields that every kind shares, read from a checked spec."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from nyl.project.units import (
    ApprovalBinding,
    ApprovalPolicy,
    DeletionPolicy,
    OutputDeclaration,
    RenderedUnit,
    UnitAddress,
    UnitDocument,
    UnitKind,
)


def rendered_unit(document: UnitDocument, spec: Mapping[str, Any], kind: UnitKind) -> RenderedUnit:
    """A unit with its shared fields as data. The spec must have passed its checks."""
    policy = spec.get("deletionPolicy")
    env = spec.get("env", _NOTHING)
    return RenderedUnit(
        api_version=document.api_version,
        kind=document.kind,
        name=document.name,
        labels=document.labels,
        location=document.location,
        spec=spec,
        enabled=spec.get("enabled", True),
        outputs={name: _output(each) for name, each in spec["outputs"].items()} if "outputs" in spec else {},
        depends_on=tuple([_address(each) for each in spec["dependsOn"]]) if "dependsOn" in spec else (),
        approval=approval_policy(spec),
        deletion_policy=DeletionPolicy(policy) if policy is not None else None,
        timeout=_timeout(spec["timeout"]) if "timeout" in spec else kind.default_timeout,
        passthrough=tuple(env.get("passthrough", ())),
        secrets=env.get("secrets", _NOTHING),
    )


_NOTHING: Mapping[str, Any] = {}


def _output(value: Mapping[str, Any]) -> OutputDeclaration:
    return OutputDeclaration(value["type"], value.get("sensitive", False), value.get("description", ""))


def _address(value: Any) -> UnitAddress:
    return UnitAddress(value) if isinstance(value, str) else UnitAddress(value["unit"], value.get("environment"))


def approval_policy(spec: Mapping[str, Any]) -> ApprovalPolicy | None:
    """The approvals that a checked spec asks for; None where it asks for none."""
    value = spec.get("approval")
    if value is None:
        return None
    if isinstance(value, str):
        return ApprovalPolicy()
    return ApprovalPolicy(ApprovalBinding(value.get("bind", "key")), value.get("requireDigest", False))


def _timeout(value: str) -> timedelta:
    from nyl.core.durations import parse_duration

    return parse_duration(value)
