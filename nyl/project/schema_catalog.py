"""The JSON Schemas of the resources, as `nyl schema` prints them and as discovery checks with them."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.suggestions import suggest
from nyl.project.units import UnitKind, UnitKinds

_FILES = {"Environment": "environment", "EnvironmentGroup": "environment-group", "GitRepository": "git-repository"}
_STATIC_FILES = {
    "Cluster": "cluster",
    "DeploymentTarget": "deployment-target",
    "ArgoCDInstance": "argocd-instance",
    "AppProjectDefinition": "app-project-definition",
}
_KUBERNETES_FILES = {**_STATIC_FILES, "ApplicationGroup": "application-group", "Release": "release"}
_BUNDLE_FILES = {"HelmChart": "helm-chart", "RemoteManifest": "remote-manifest", "Component": "component"}


def resource_kinds() -> tuple[str, ...]:
    """The kinds of resources that are not units."""
    return tuple(_FILES)


def static_kinds() -> tuple[str, ...]:
    """The kinds of `k8s.gitops.nyl/v1` that are plain YAML, never templates."""
    return tuple(_STATIC_FILES)


def kubernetes_kinds() -> tuple[str, ...]:
    """The kinds of resources that say which manifests are rendered, and where to."""
    return tuple(_KUBERNETES_FILES)


def bundle_kinds() -> tuple[str, ...]:
    """The kinds of documents that stand in the bundle of a Release and expand to other objects."""
    return tuple(_BUNDLE_FILES)


@cache
def resource_schema(kind: str) -> Mapping[str, Any]:
    """The schema of a resource that is not a unit, or of a part of a bundle. Raises KeyError for another kind."""
    return _load({**_FILES, **_KUBERNETES_FILES, **_BUNDLE_FILES}[kind])


@cache
def literal_schema(kind: str) -> Mapping[str, Any]:
    """The schema of what a document of a kind holds beside its spec, which is text of a template."""
    whole = resource_schema(kind)
    properties = {name: field for name, field in whole["properties"].items() if name != "spec"}
    return {**whole, "properties": properties}


@cache
def rendered_schema(kind: str) -> Mapping[str, Any]:
    """The schema of the rendered spec of a kind."""
    whole = resource_schema(kind)
    return {**whole["properties"]["spec"], "$defs": whole["$defs"]}


@cache
def envelope_schema() -> Mapping[str, Any]:
    """The schema of what a unit document holds beside its spec."""
    return _load("unit-envelope")


def shared_fields() -> frozenset[str]:
    """The fields of a spec that units of every kind have."""
    return frozenset(_load("unit-common")["properties"])


def spec_schema(kind: UnitKind) -> Mapping[str, Any]:
    """The schema of a rendered spec: the fields that all kinds share, and the kind's own."""
    common = _load("unit-common")
    own = kind.schema
    return {
        **{key: value for key, value in own.items() if key not in ("title", "$defs")},
        "type": "object",
        "additionalProperties": False,
        "properties": {**common["properties"], **own.get("properties", {})},
        "required": list(own.get("required", ())),
        "$defs": {**common["$defs"], **own.get("$defs", {})},
    }


def _unit_schema(kind: UnitKind) -> Mapping[str, Any]:
    """The schema of a whole unit document of a kind. Templates may stand where it asks for other types."""
    envelope = envelope_schema()
    spec = dict(spec_schema(kind))
    definitions = {**spec.pop("$defs"), **envelope["$defs"]}
    properties = {
        **envelope["properties"],
        "apiVersion": {"const": kind.api_version},
        "kind": {"const": kind.kind},
        "spec": spec,
    }
    return {**envelope, "title": kind.kind, "properties": properties, "$defs": definitions}


def schema_of(kind: str | None, kinds: UnitKinds) -> Mapping[str, Any]:
    """What `nyl schema KIND` prints; for None one schema that accepts every kind. Raises NYL-KIND-UNKNOWN."""
    units = {name: api for api in sorted(kinds.groups()) for name in kinds.names(api)}
    if kind is None:
        return _any_of(
            [
                *(resource_schema(each) for each in (*_FILES, *_KUBERNETES_FILES, "HelmChart", "RemoteManifest")),
                *(_unit(units[name], name, kinds) for name in units),
            ]
        )
    if kind in (*_FILES, *_KUBERNETES_FILES, *_BUNDLE_FILES):
        return resource_schema(kind)
    if kind in units:
        return _unit(units[kind], kind, kinds)
    known = [*_FILES, *_KUBERNETES_FILES, *_BUNDLE_FILES, *units]
    raise NylError(Code.KIND_UNKNOWN, f"No installed driver offers the kind {kind}.", suggest(kind, known, "kind"))


def _unit(api_version: str, name: str, kinds: UnitKinds) -> Mapping[str, Any]:
    found = kinds.find(api_version, name)
    if found is None:
        raise NylError(Code.KIND_UNKNOWN, f"The driver of {name} is not installed.", "install its package")
    return _unit_schema(found)


def _any_of(schemas: list[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Each schema keeps its definitions by becoming a resource of its own with an `$id`."""
    branches = [
        {
            "if": {"properties": {"kind": schema["properties"]["kind"]}},
            "then": {"$id": f"nyl:{schema['title']}", **schema},
        }
        for schema in schemas
    ]
    names = [schema["title"] for schema in schemas]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "nyl resource",
        "type": "object",
        "required": ["apiVersion", "kind", "metadata"],
        "properties": {"kind": {"enum": names}},
        "allOf": branches,
    }


@cache
def _load(name: str) -> Mapping[str, Any]:
    text = (Path(__file__).parent / "schemas" / f"{name}.json").read_text("utf-8")
    schema: Mapping[str, Any] = json.loads(text)
    return schema
