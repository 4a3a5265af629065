"""Building environments, groups and repositories from their checked documents."""

from collections.abc import Iterable, Mapping
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError, Problems
from nyl.project.merge import merged_spec
from nyl.project.records import RESOURCES
from nyl.project.repositories import repository_location, resolve_repository
from nyl.project.resources import (
    Admission,
    DriftRepair,
    Environment,
    EnvironmentGroup,
    EnvironmentSource,
    GitRepository,
    StateLocation,
)
from nyl.project.state_places import check_state_places

_Document = Mapping[str, Any]


def build_repositories(found: Iterable[tuple[_Document, Location]], problems: Problems) -> dict[str, GitRepository]:
    """The GitRepositories by name. Refused URLs are problems."""
    result = {}
    for document, location in found:
        name = document["metadata"]["name"]
        try:
            result[name] = GitRepository(name, repository_location(document["spec"], location), location)
        except NylError as error:
            problems.add(error)
    return result


def build_groups(found: Iterable[tuple[_Document, Location]]) -> dict[str, EnvironmentGroup]:
    """The EnvironmentGroups by name."""
    result = {}
    for document, location in found:
        name, spec = document["metadata"]["name"], document["spec"]
        labels = spec["environmentSelector"].get("matchLabels", {})
        result[name] = EnvironmentGroup(name, labels, spec.get("defaults", {}), location)
    return result


def build_environments(
    found: Iterable[tuple[_Document, Location]],
    groups: Mapping[str, EnvironmentGroup],
    repositories: Mapping[str, GitRepository],
    problems: Problems,
) -> dict[str, Environment]:
    """The Environments by name, with the defaults of their groups. What does not fit together is a problem."""
    result = {}
    for document, location in found:
        metadata = document["metadata"]
        name, labels = metadata["name"], metadata.get("labels", {})
        spec = merged_spec(document.get("spec", {}), name, labels, groups.values(), problems)
        try:
            result[name] = _environment(name, labels, spec, location, repositories)
        except NylError as error:
            problems.add(error.about(environment=name))
    check_state_places(result.values(), problems)
    return result


def _environment(
    name: str,
    labels: Mapping[str, str],
    spec: Mapping[str, Any],
    location: Location,
    repositories: Mapping[str, GitRepository],
) -> Environment:
    source, admission = spec.get("source", {}), spec.get("admission", {})
    protected = spec.get("protectedRefs")
    if "revision" in source:
        _ref(source["revision"], "source.revision", location)
    if source.get("commit") and not source.get("revision"):
        message = f"{location}: the source of Environment {name} pins a commit without a revision."
        raise NylError(Code.RESOURCE_INVALID, message, "add `revision` to the source", location=location)
    return Environment(
        name=name,
        labels=labels,
        match_labels=spec.get("unitSelector", {}).get("matchLabels", {}),
        values=spec.get("values", {}),
        source=EnvironmentSource(source.get("revision"), source.get("commit")),
        state=_state(name, spec.get("state", {}), location, repositories),
        protected_refs=tuple(protected) if protected is not None else None,
        allow_unprotected_source=spec.get("allowUnprotectedSource", False),
        drift_repair=DriftRepair(spec.get("driftRepair", "converge")),
        admission=Admission(tuple(admission.get("passthrough", ("*",))), tuple(admission.get("secrets", ("*",)))),
        location=location,
        document=_shown(name, labels, spec),
    )


def _state(
    name: str, state: Mapping[str, Any], location: Location, repositories: Mapping[str, GitRepository]
) -> StateLocation:
    usual = StateLocation.usual(name)
    prefix = state.get("coordinationRefPrefix", usual.coordination_prefix)
    return StateLocation(
        repository=resolve_repository(state, repositories, location),
        desired_ref=_ref(state.get("desiredRef", usual.desired_ref), "desiredRef", location),
        observed_ref=_ref(state.get("observedRef", usual.observed_ref), "observedRef", location),
        path=_folder(state.get("path", ""), location),
        coordination_prefix=_ref(prefix, "coordinationRefPrefix", location),
    )


def _ref(name: str, field: str, location: Location) -> str:
    from nyl.git.refs import check_ref_name, full_ref

    try:
        return full_ref(check_ref_name(name.rstrip("/") if field == "coordinationRefPrefix" else name))
    except NylError as error:
        raise error.at(location, field) from None


def _folder(path: str, location: Location) -> str:
    parts = [each for each in path.split("/") if each not in ("", ".")]
    if path.startswith("/") or ".." in parts or "\0" in path or ".git" in (each.lower() for each in parts):
        message = f"{location}: the state path {path!r} leaves the root of the state refs."
        raise NylError(Code.PATH_REFUSED, message, "give a folder below the root, such as `dev`", location=location)
    return "/".join(parts)


def _shown(name: str, labels: Mapping[str, str], spec: Mapping[str, Any]) -> _Document:
    """The merged resource as templates see it: without the URLs of repositories."""
    shown = dict(spec)
    if "state" in shown:
        shown["state"] = {key: value for key, value in shown["state"].items() if key != "repository"}
    return {
        "apiVersion": RESOURCES,
        "kind": "Environment",
        "metadata": {"name": name, "labels": dict(labels)},
        "spec": {"values": {}, **shown},
    }
