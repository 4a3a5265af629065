"""The `fromUnit` bindings of a target, as references of the unit that publishes it.

Follows the sources of Binding inputs on a target of the page Release Inputs: keys of disabled groups are ignored.
"""

from collections.abc import Mapping
from typing import Any

from nyl.core.diagnostics import NylError, Problems
from nyl.core.pointers import join
from nyl.kubernetes.declarations import Declarations, declarations_adding
from nyl.kubernetes.group_releases import group_releases
from nyl.kubernetes.groups import render_groups
from nyl.kubernetes.resources import ApplicationGroup, ReleaseAddress
from nyl.kubernetes.target_documents import target_document, written_bindings
from nyl.kubernetes.targets import effective_target
from nyl.project.discovery import Project
from nyl.units.publication.releases import RELEASES, Releases


def unit_references(project: Project, target: str) -> tuple[Releases, Mapping[str, str]]:
    """The references by Release and input, and the types that their values must have, by their pointers in the spec.

    What is wrong with groups and Releases is no matter here: those are left out.
    """
    declarations = declarations_adding(project, Problems())
    groups = _enabled_groups(declarations, target)
    document, _ = target_document(project, target)
    releases: dict[str, dict[str, Any]] = {}
    for key, name, reference in written_bindings(document, "fromUnit"):
        if key.partition("/")[0] in groups:
            releases.setdefault(key, {})[name] = {"fromUnit": dict(reference)}
    return releases, _types(declarations, groups, releases)


def _enabled_groups(declarations: Declarations, target: str) -> dict[str, ApplicationGroup]:
    if target not in declarations.targets:
        return {}
    try:
        effective = effective_target(declarations, declarations.targets[target])
    except NylError:
        return {}
    groups = render_groups(declarations, effective, Problems())
    return {name: group for name, group in groups.items() if group.enabled}


def _types(declarations: Declarations, groups: Mapping[str, ApplicationGroup], releases: Releases) -> dict[str, str]:
    """The types of inputs, as far as the project's own files declare them."""
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
