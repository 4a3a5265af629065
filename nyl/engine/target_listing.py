"""The targets that a project declares: `nyl get targets`."""

from collections.abc import Sequence

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError, Problems
from nyl.engine.workspace import Workspace
from nyl.git.own_place import ORIGIN
from nyl.git.urls import shared_url
from nyl.kubernetes.declarations import Declarations
from nyl.kubernetes.groups import render_groups
from nyl.kubernetes.resources import Publication
from nyl.kubernetes.targets import effective_target


@dataclass(frozen=True)
class ListedTarget:
    """A declared target."""

    target: str
    cluster: str
    repository: str
    """URL of the repository that is published to; '' for the project's own one that has none."""
    revision: str
    prefix: str
    groups: Sequence[str]
    """The ApplicationGroups that it renders: those that it selects and that are enabled on it."""
    file: str


def list_targets(workspace: Workspace) -> list[ListedTarget]:
    """The targets of the working tree. Raises every problem of what they refer to and of their groups."""
    declarations = Declarations.of(workspace.worktree)
    own_url = workspace.repository.remote_url(ORIGIN) or ""
    problems = Problems()
    found = []
    for _, target in sorted(declarations.targets.items()):
        try:
            effective = effective_target(declarations, target)
        except NylError as error:
            problems.add(error)
            continue
        groups = render_groups(declarations, effective, problems)
        publication = target.publication
        found.append(
            ListedTarget(
                target=target.name,
                cluster=target.cluster,
                repository=_url(publication, own_url),
                revision=publication.revision,
                prefix=publication.prefix,
                groups=tuple(name for name, group in groups.items() if group.enabled),
                file=str(target.location),
            )
        )
    problems.raise_any()
    return found


def _url(publication: Publication, own_url: str) -> str:
    return publication.repository.url if publication.repository else shared_url(own_url)
