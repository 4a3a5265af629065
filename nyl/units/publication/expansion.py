"""What a target's `fromUnit` bindings add to the spec of the unit that publishes it: references, before any state.

Follows the sources of Binding inputs on a target of the page Release Inputs: keys of disabled groups are ignored.
"""

from collections.abc import Mapping
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError, Problems
from nyl.core.pointers import join
from nyl.kubernetes.declarations import Declarations, declarations_adding
from nyl.kubernetes.declared_targets import declared_target
from nyl.kubernetes.group_releases import group_releases
from nyl.kubernetes.groups import render_groups
from nyl.kubernetes.resources import ApplicationGroup, DeploymentTarget, ReleaseAddress
from nyl.kubernetes.targets import effective_target
from nyl.project.discovery import Project
from nyl.units.completion import Expansion

RELEASES = "releases"
"""The field of the spec that holds the inputs of Releases: references at first, all effective values in the end."""

Releases = Mapping[str, Mapping[str, Any]]
"""Key `<group>/<release>` -> input -> value."""


def expand(spec: Mapping[str, Any], project: Project) -> Expansion:
    """The spec with the references of its target. Raises NYL-TARGET-UNKNOWN and NYL-RESOURCE-INVALID.

    What else is wrong with the project's Kubernetes resources is left to who renders them.
    """
    target = declared_target(project, spec["target"])
    if spec.get("outputs"):
        raise NylError(
            Code.RESOURCE_INVALID,
            "A KubernetesPublication has no outputs.",
            "remove outputs, and read its artifact `tree`, such as `{unit: …, artifact: tree, pointer: /commit}`",
        )
    claims = (f"DeploymentTarget {target.name}",)
    written = _references(target)
    if not written:
        return Expansion(spec, claims=claims)
    declarations = declarations_adding(project, Problems())
    enabled = _enabled_groups(declarations, target)
    releases = {key: found for key, found in written.items() if key.partition("/")[0] in enabled}
    return Expansion({**spec, RELEASES: releases}, _types(declarations, enabled, releases), claims)


def _references(target: DeploymentTarget) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for key, written in target.release_inputs.items():
        references = {name: dict(raw) for name, raw in written.items() if "fromUnit" in raw}
        if references:
            found[key] = references
    return found


def _enabled_groups(declarations: Declarations, target: DeploymentTarget) -> dict[str, ApplicationGroup]:
    try:
        groups = render_groups(declarations, effective_target(declarations, target), Problems())
    except NylError:
        return {}
    return {name: group for name, group in groups.items() if group.enabled}


def _types(declarations: Declarations, groups: Mapping[str, ApplicationGroup], releases: Releases) -> dict[str, str]:
    """The types of the inputs, as far as the project's own files declare them, by the pointers of their references."""
    local = [group for group in groups.values() if not group.source.is_remote]
    try:
        known = group_releases(local, lambda group: declarations.releases)
    except NylError:
        return {}
    found = {}
    for key, inputs in releases.items():
        group, _, name = key.partition("/")
        release = known.get(ReleaseAddress(group, name))
        for each in inputs:
            declared = release.document.inputs.get(each) if release else None
            if declared is not None:
                found[join("", RELEASES, key, each)] = declared.type
    return found
