"""What a target renders: its groups, their Releases, and the inputs of each, before any Release is rendered.

Follows Binding inputs on a target of the page Release Inputs, and Resources in the Kubernetes specification.
"""

import hashlib
import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Problems
from nyl.git.own_place import own_place
from nyl.kubernetes.group_releases import GroupRelease, group_releases
from nyl.kubernetes.group_spec_cache import GroupSpecCache
from nyl.kubernetes.groups import render_groups
from nyl.kubernetes.inputs.bindings import BindingContext
from nyl.kubernetes.inputs.project_sources import ProjectSources
from nyl.kubernetes.inputs.resolution import ResolvedInputs, resolve_inputs
from nyl.kubernetes.inputs.sources import InputSources, PublicationState
from nyl.kubernetes.inputs.unit_values import UnitValues
from nyl.kubernetes.layout import release_folder
from nyl.kubernetes.remote_releases import RemoteReleases
from nyl.kubernetes.resources import ApplicationGroup, DeploymentTarget, ReleaseAddress, ReleaseDocument
from nyl.kubernetes.session import RenderSession
from nyl.kubernetes.target_overlaps import overlaps_of
from nyl.kubernetes.targets import EffectiveTarget, effective_target
from nyl.project.config import FILE_NAME
from nyl.project.repositories import resolve_repository
from nyl.project.resources import RepositoryLocation


@dataclass(frozen=True)
class TargetPlan:
    """The groups and Releases of one target."""

    session: RenderSession
    target: EffectiveTarget
    groups: Mapping[str, ApplicationGroup]
    """Those that are enabled, by name."""
    disabled: frozenset[str]
    """Names of the selected groups that are not."""
    releases: Mapping[ReleaseAddress, GroupRelease]
    remote: RemoteReleases

    @cached_property
    def folders(self) -> dict[ReleaseAddress, str]:
        """The folder of each Release below the prefix."""
        return {
            address: release_folder(each.group.output_path, each.document.name)
            for address, each in self.releases.items()
        }

    @property
    def binding_context(self) -> BindingContext:
        """What the target's bindings are read with."""
        session = self.session
        own_url = own_place(session.repository)
        repositories, folders = session.declarations.repositories, frozenset(self.folders.values())
        return BindingContext.within(session.project, self.target.target, repositories, folders, own_url)

    def inputs(self, open_state: Callable[[], PublicationState], units: UnitValues | None = None) -> ResolvedInputs:
        """The inputs of all Releases. `units` gives the values of `fromUnit` bindings, which are refused without.

        Raises all problems together, as `resolve_inputs`.
        """
        context = replace(self.binding_context, units=units)
        documents = {address: each.document for address, each in self.releases.items()}
        return resolve_inputs(context, documents, self.disabled, input_sources(self.session, open_state))

    def sources(self) -> dict[str, str]:
        """The files of the project that decide what the target renders, with the digests of their contents."""
        declarations, target = self.session.declarations, self.target
        places = [target.target.location, target.cluster.location, target.argocd.location]
        for group in self.groups.values():
            places.append(group.location)
            definition = declarations.projects.get(group.project_ref or "")
            places.append(definition.location if definition else None)
        used = set(self._repositories())
        places += [each.location for each in declarations.repositories.values() if each.repository in used]
        files = {each.file for each in places if each is not None}
        files.add(posixpath.join(self.session.tree.project_folder, FILE_NAME))
        found = self.session.tree.read_many(sorted(files))
        return {path: hashlib.sha256(content).hexdigest() for path, content in found.items()}

    def _repositories(self) -> Iterator[RepositoryLocation | None]:
        """Where the tree is published, and where groups and inputs come from."""
        target = self.target.target
        yield target.publication.repository
        yield from (group.source.repository for group in self.groups.values())
        for address in self.releases:
            for binding in target.release_inputs.get(str(address), {}).values():
                yield resolve_repository(binding.get("fromGit", {}), self.session.declarations.repositories)


def plan_target(session: RenderSession, target: DeploymentTarget) -> TargetPlan:
    """The groups of a target rendered, and their Releases found.

    Raises all problems together: those of the groups, NYL-TARGET-OVERLAP, and NYL-RELEASE-TAKEN.
    """
    problems = Problems()
    effective = effective_target(session.declarations, target)
    own_url = own_place(session.repository)
    for overlap in overlaps_of(target, session.declarations.targets.values(), own_url):
        problems.add(overlap)
    specs = GroupSpecCache(session.known, effective)
    rendered = render_groups(session.declarations, effective, problems, specs.spec)
    problems.raise_any()
    enabled = {name: group for name, group in rendered.items() if group.enabled}
    remote = RemoteReleases(session)
    local = session.declarations.releases

    def releases_of(group: ApplicationGroup) -> Mapping[str, ReleaseDocument]:
        return remote.documents(group) if group.source.is_remote else local

    releases = group_releases(enabled.values(), releases_of)
    return TargetPlan(session, effective, enabled, frozenset(rendered) - frozenset(enabled), releases, remote)


def input_sources(session: RenderSession, open_state: Callable[[], PublicationState]) -> InputSources:
    """Where bindings of the session's project are read from. `open_state` is called when a binding needs it."""
    tree, vendor = session.tree, session.vendor_folder
    return ProjectSources(tree, session.git_files, session.carry_files, open_state, session.artifacts, vendor)
