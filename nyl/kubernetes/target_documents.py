"""DeploymentTargets as the files of a project have them, for who wants to know little of one: nothing else is read."""

from collections.abc import Iterator, Mapping
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.core.suggestions import suggest
from nyl.project.discovery import Project


def target_document(project: Project, name: str) -> tuple[Mapping[str, Any], Location]:
    """The document of a target, and its place. Raises NYL-TARGET-UNKNOWN."""
    for kind, document, location in project.kubernetes.resources:
        if kind == "DeploymentTarget" and document["metadata"]["name"] == name:
            return document, location
    known = project.kubernetes.target_names()
    message = f"The project has no DeploymentTarget {name}" + (f"; it has {', '.join(known)}." if known else ".")
    raise NylError(Code.TARGET_UNKNOWN, message, suggest(name, known, "DeploymentTarget"))


def written_bindings(document: Mapping[str, Any], source: str) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """The bindings of a target that have a source such as `fromUnit`: key, input, and what stands at the source."""
    for key, inputs in document["spec"].get("releaseInputs", {}).items():
        for name, raw in inputs.items():
            if source in raw:
                yield key, name, raw[source]
