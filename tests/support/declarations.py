"""Texts of resources and scripts, as a person would write them."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

Spec = Mapping[str, Any]


def from_unit(unit: str, output: str, environment: str | None = None) -> dict[str, Any]:
    """A reference to another unit's output."""
    producer = {"unit": unit, "output": output}
    return {"fromUnit": {"environment": environment, **producer} if environment else producer}


def from_artifact(unit: str, artifact: str, pointer: str) -> dict[str, Any]:
    """A reference to a value inside another unit's artifact."""
    return {"fromUnit": {"unit": unit, "artifact": artifact, "pointer": pointer}}


def resource(api_version: str, kind: str, name: str, spec: Spec, labels: Mapping[str, str] | None = None) -> str:
    """The YAML text of a resource."""
    metadata: dict[str, Any] = {"name": name} | ({"labels": dict(labels)} if labels else {})
    document = {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": dict(spec)}
    return yaml.safe_dump(document, sort_keys=False, width=1_000_000, allow_unicode=True)


def environment(name: str, labels: Mapping[str, str] | None = None, **spec: Any) -> str:
    """The YAML text of an Environment; `spec` are its fields, an empty selector when none is given."""
    return resource("gitops.nyl/v1", "Environment", name, {"unitSelector": {}} | spec, labels)


def command(name: str, argv: Sequence[str], labels: Mapping[str, str] | None = None, **spec: Any) -> str:
    """The YAML text of a Command."""
    return resource("units.gitops.nyl/v1", "Command", name, {"command": list(argv)} | spec, labels)


def output_types(outputs: Mapping[str, Any]) -> dict[str, Any]:
    """Declarations of outputs from their values, or as they are where they are declarations already."""
    names = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object", list: "array"}
    return {name: {"type": names[type(value)]} for name, value in outputs.items()}


def shell(body: str) -> str:
    """A shell script that stops at the first failure."""
    return "#!/bin/sh\nset -e\n" + textwrap.dedent(body)
