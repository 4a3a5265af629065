"""The documents of a bundle that stand for other objects: HelmChart, Component, aliases of it, and RemoteManifest."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError, NylErrors
from nyl.core.schemas import Validator
from nyl.core.suggestions import suggest
from nyl.git.refs import without_credentials
from nyl.kubernetes.expansion.references import ChartReference, chart_reference, component_reference
from nyl.kubernetes.manifests import Manifest
from nyl.project.schema_catalog import resource_schema
from nyl.project.schema_problems import Subject, schema_errors

BUNDLE_API = "k8s.nyl/v1"
COMPONENT_API = "components.k8s.nyl/v1"
_OWN_GROUPS = {api.partition("/")[0]: api for api in (BUNDLE_API, COMPONENT_API)}
"""The API groups that are nyl's own, whose documents no cluster knows in any version."""
_BUNDLE_KINDS = ("HelmChart", "RemoteManifest")


@dataclass(frozen=True)
class ChartUse:
    """A chart to render in the place of a document."""

    title: str
    """What provenance and errors call the document, such as `HelmChart web`."""
    reference: ChartReference
    release: str
    namespace: str | None
    values: Mapping[str, Any]


@dataclass(frozen=True)
class RemoteUse:
    """A file elsewhere whose objects stand in the place of a document."""

    title: str
    url: str
    sha256: str


def is_expandable(manifest: Manifest, aliases: Mapping[str, str]) -> bool:
    """Whether a document stands for other objects, or is meant to."""
    api = manifest.value["apiVersion"]
    return api.partition("/")[0] in _OWN_GROUPS or bool(aliases and f"{api}/{manifest.value['kind']}" in aliases)


def expandable(manifest: Manifest, aliases: Mapping[str, str]) -> ChartUse | RemoteUse | None:
    """What a document stands for; None for an ordinary object.

    Raises NYL-RESOURCE-INVALID with file and line for a document that does not fit its schema, and what a chart
    reference raises.
    """
    api, kind = manifest.value.get("apiVersion"), manifest.value.get("kind")
    if not isinstance(api, str) or not isinstance(kind, str):
        return None
    alias = aliases.get(f"{api}/{kind}")
    if alias is not None:
        return _component(manifest, {**manifest.value, "apiVersion": COMPONENT_API, "kind": alias}, f"{api}/{kind}")
    if api == COMPONENT_API:
        return _component(manifest, manifest.value, kind)
    if api != BUNDLE_API:
        _check_version(manifest, api, kind)
        return None
    if kind == "HelmChart":
        return _helm_chart(manifest)
    if kind == "RemoteManifest":
        return _remote(manifest)
    place = manifest.location
    raise NylError(
        Code.RESOURCE_INVALID,
        f"{place}: a bundle cannot hold a document of kind {kind} ({BUNDLE_API}).",
        suggest(kind, _BUNDLE_KINDS, "kind"),
        location=place,
    )


def _check_version(manifest: Manifest, api: str, kind: str) -> None:
    known = _OWN_GROUPS.get(api.partition("/")[0])
    if known is None:
        return
    place = manifest.location
    message = f"{place}: the document of kind {kind} has the apiVersion {api}, which nyl does not know."
    raise NylError(Code.RESOURCE_INVALID, message, f"write `apiVersion: {known}`", location=place)


def _component(manifest: Manifest, value: Mapping[str, Any], shown: str) -> ChartUse:
    _check(manifest, value, "Component", f"Component {shown}")
    metadata = value["metadata"]
    reference = component_reference(value["kind"], manifest.location)
    title = f"Component {shown} {metadata['name']}"
    return ChartUse(title, reference, metadata["name"], metadata.get("namespace"), value.get("spec", {}))


def _helm_chart(manifest: Manifest) -> ChartUse:
    value = manifest.value
    _check(manifest, value, "HelmChart", "HelmChart")
    metadata, spec = value["metadata"], value["spec"]
    chart = spec["chart"]
    reference = chart_reference(chart.get("repository"), chart.get("name"), chart.get("version"), manifest.location)
    title = f"HelmChart {metadata['name']}"
    return ChartUse(title, reference, metadata["name"], metadata.get("namespace"), spec.get("values", {}))


def _remote(manifest: Manifest) -> RemoteUse:
    value = manifest.value
    _check(manifest, value, "RemoteManifest", "RemoteManifest")
    spec = value["spec"]
    if without_credentials(spec["url"]) != spec["url"]:
        place = manifest.location
        message = (
            f"{place}: RemoteManifest {value['metadata']['name']}: its URL holds credentials, and it is published."
        )
        raise NylError(Code.URL_REFUSED, message, "remove them, and keep such a file in the repository", location=place)
    title = f"RemoteManifest {value['metadata']['name']}"
    return RemoteUse(title, spec["url"], spec["digest"].removeprefix("sha256:"))


def _check(manifest: Manifest, value: Mapping[str, Any], schema: str, shown: str) -> None:
    found = _validator(schema).problems(value)
    if not found:
        return
    metadata = value.get("metadata")
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    place = manifest.location
    subject = Subject(f"{shown} {name}" if name else shown, place.file, lambda _: place.line)
    raise NylErrors(schema_errors(found, subject))


@cache
def _validator(schema: str) -> Validator:
    return Validator(resource_schema(schema))
