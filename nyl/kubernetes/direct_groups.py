"""The ApplicationGroup of a target that a direct command takes a Release as part of, and its inputs there.

Follows Direct commands of the page Release Inputs.
"""

from collections.abc import Callable, Mapping
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Problems
from nyl.kubernetes.direct_sources import DirectSource
from nyl.kubernetes.group_releases import GroupRelease, source_files
from nyl.kubernetes.groups import render_groups
from nyl.kubernetes.inputs.overrides import binding_group
from nyl.kubernetes.inputs.resolution import ResolvedInputs, resolve_release
from nyl.kubernetes.inputs.sources import PublicationState
from nyl.kubernetes.remote_releases import RemoteReleases
from nyl.kubernetes.resources import ApplicationGroup, DeploymentTarget, ReleaseAddress
from nyl.kubernetes.session import RenderSession
from nyl.kubernetes.target_plan import TargetPlan, input_sources
from nyl.kubernetes.targets import EffectiveTarget, effective_target


@dataclass(frozen=True)
class DirectTarget:
    """A target, and the groups of it that matter for one Release file."""

    session: RenderSession
    target: EffectiveTarget
    source: DirectSource
    groups: Mapping[str, ApplicationGroup]
    """All that the target selects, disabled ones too."""

    @classmethod
    def of(cls, session: RenderSession, target: DeploymentTarget, source: DirectSource) -> "DirectTarget":
        """The groups of a target, rendered. Raises what is wrong with any of them together."""
        effective = effective_target(session.declarations, target)
        problems = Problems()
        groups = render_groups(session.declarations, effective, problems)
        problems.raise_any()
        return cls(session, effective, source, groups)

    @property
    def containing(self) -> tuple[str, ...]:
        """The groups whose local source contains the file."""
        if not self.source.is_own:
            return ()
        file = self.source.bundle.entry_file
        local = ((name, group.source) for name, group in self.groups.items() if not group.source.is_remote)
        return tuple(name for name, source in local if source_files(source, [file]))

    def group(self, chosen: str | None) -> ApplicationGroup:
        """The group whose bindings apply; `chosen` is that of --application-group. Raises as `binding_group`."""
        file = self.source.bundle.entry_file
        return self.groups[binding_group(self.target.target, self.groups, self.containing, file, chosen)]

    def only_group(self) -> ApplicationGroup | None:
        """The one group that contains the file, which decides on namespaces where no binding applies."""
        found = self.containing
        return self.groups[found[0]] if len(found) == 1 else None

    def publishes(self, group: ApplicationGroup) -> bool:
        """Whether the target renders the Release as part of this group, and of no other."""
        enabled = [name for name in self.containing if self.groups[name].enabled]
        return enabled == [group.name]

    def inputs(
        self, group: ApplicationGroup, overrides: Mapping[str, Any], open_state: Callable[[], PublicationState]
    ) -> ResolvedInputs:
        """The inputs of the Release alone, as the bindings of a group and some overrides give them.

        Raises as `resolve_release`.
        """
        document = self.source.document
        address = ReleaseAddress(group.name, document.name)
        release = GroupRelease(group, document)
        remote = RemoteReleases(self.session)
        plan = TargetPlan(self.session, self.target, {group.name: group}, frozenset(), {address: release}, remote)
        sources = input_sources(self.session, open_state)
        return resolve_release(plan.binding_context, address, document, overrides, sources)
