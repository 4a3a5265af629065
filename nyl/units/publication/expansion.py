"""What a target adds to the spec of the unit that publishes it, before any state is read: its `fromUnit` bindings."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.kubernetes.declared_targets import declared_target
from nyl.kubernetes.target_documents import target_document, written_bindings
from nyl.project.discovery import Project
from nyl.units.completion import Expansion, PushedBranch
from nyl.units.publication.releases import RELEASES


def expand(spec: Mapping[str, Any], project: Project) -> Expansion:
    """The spec with the references of its target. Raises NYL-TARGET-UNKNOWN and NYL-RESOURCE-INVALID.

    What else is wrong with the project's Kubernetes resources is left to who renders them.
    """
    document, _ = target_document(project, spec["target"])
    if RELEASES in spec:
        # As a reference, which no schema sees.
        message = "The field releases of a KubernetesPublication is not to be written."
        raise NylError(Code.RESOURCE_INVALID, message, "bind inputs in spec.releaseInputs of the DeploymentTarget")
    if spec.get("outputs"):
        raise NylError(
            Code.RESOURCE_INVALID,
            "A KubernetesPublication has no outputs.",
            "remove outputs, and read its artifact `tree`, such as `{unit: …, artifact: tree, pointer: /commit}`",
        )
    claims = (f"DeploymentTarget {spec['target']}",)
    pushes = tuple(_pushes(project, spec["target"]))
    if not any(True for _ in written_bindings(document, "fromUnit")):
        return Expansion(spec, claims=claims, pushes=pushes)
    from nyl.units.publication.references import unit_references

    releases, types = unit_references(project, spec["target"])
    return Expansion({**spec, RELEASES: releases}, types, claims, pushes)


def _pushes(project: Project, target: str) -> Iterator[PushedBranch]:
    """The branch of a target; none of one whose own resource is wrong."""
    with suppress(NylError):
        found = declared_target(project, target)
        publication = found.publication
        yield PushedBranch(publication.repository, publication.revision, found.location, "publication.revision")
