"""What is wrong with the Kubernetes resources of a project, across all its targets, as far as its files alone tell.

Nothing is rendered but the specs of ApplicationGroups; no remote is asked, and no source of a binding is read.
"""

from collections.abc import Mapping

from nyl.core.diagnostics import Diagnostic, NylError, Problems
from nyl.kubernetes.application_collisions import NamedApplication, named_applications, taken_names
from nyl.kubernetes.declarations import Declarations, declarations_adding
from nyl.kubernetes.group_releases import GroupRelease, group_releases
from nyl.kubernetes.groups import render_groups
from nyl.kubernetes.inputs.bindings import BindingContext
from nyl.kubernetes.inputs.static_check import check_statically
from nyl.kubernetes.layout import release_folder
from nyl.kubernetes.resources import ApplicationGroup, DeploymentTarget, ReleaseAddress
from nyl.kubernetes.shared_projects import TargetProject, conflicting_projects, target_projects
from nyl.kubernetes.target_overlaps import overlapping_targets
from nyl.kubernetes.targets import EffectiveTarget, effective_target
from nyl.project.discovery import Project


def kubernetes_problems(project: Project, own_url: str | None) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with a project's Kubernetes resources. `own_url` is that of its own repository.

    Releases of remote groups are not looked at, as their files are not part of the project.
    """
    problems = Problems()
    declarations = declarations_adding(project, problems)
    check = _Validation(project, declarations, own_url, problems)
    for error in overlapping_targets(declarations.targets.values(), own_url):
        problems.add(error)
    applications = [each for target in declarations.targets.values() for each in check.target(target)]
    for error in (*taken_names(applications), *conflicting_projects(check.projects)):
        problems.add(error)
    return problems.diagnostics


class _Validation:
    """Checks the targets of a project one after the other."""

    def __init__(self, project: Project, declarations: Declarations, own_url: str | None, problems: Problems) -> None:
        self._project = project
        self._declarations = declarations
        self._own_url = own_url
        self._problems = problems
        self._declares_well = not len(problems)
        self.projects: list[TargetProject] = []
        """The AppProjects of the targets that were checked."""

    def target(self, target: DeploymentTarget) -> list[NamedApplication]:
        """The Applications of a target, as far as they are known."""
        try:
            effective = effective_target(self._declarations, target)
        except NylError as error:
            self._problems.add(error)
            return []
        before = len(self._problems)
        groups = render_groups(self._declarations, effective, self._problems)
        releases = self._releases(groups)
        if self._declares_well and len(self._problems) == before:
            # Bindings of what is broken would be taken for ones that name nothing.
            self._check_bindings(effective, groups, releases)
        enabled = (group for group in groups.values() if group.enabled)
        self.projects += target_projects(self._declarations, effective, enabled, self._own_url, self._problems)
        return list(named_applications(effective, releases.values(), self._problems))

    def _releases(self, groups: Mapping[str, ApplicationGroup]) -> dict[ReleaseAddress, GroupRelease]:
        """The Releases of the enabled groups whose files are the project's own."""
        local = [group for group in groups.values() if group.enabled and not group.source.is_remote]
        try:
            return group_releases(local, lambda group: self._declarations.releases)
        except NylError as error:
            self._problems.add(error)
            return {}

    def _check_bindings(
        self,
        target: EffectiveTarget,
        groups: Mapping[str, ApplicationGroup],
        releases: Mapping[ReleaseAddress, GroupRelease],
    ) -> None:
        folders = {release_folder(each.group.output_path, each.document.name) for each in releases.values()}
        repositories = self._declarations.repositories
        context = BindingContext.within(self._project, target.target, repositories, folders, self._own_url)
        unknown = {name for name, group in groups.items() if group.source.is_remote or not group.enabled}
        documents = {address: each.document for address, each in releases.items()}
        check_statically(context, documents, unknown, self._problems)
