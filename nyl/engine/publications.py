"""Where targets are published: opening the branch, as it is at its repository or as it is known here."""

from dataclasses import dataclass
from functools import cached_property

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.events import Step
from nyl.engine.push_guard import owner_of
from nyl.engine.remotes import own_remote
from nyl.engine.workspace import ORIGIN, Workspace
from nyl.git.mirrors import known_mirror, mirror
from nyl.git.objects import ObjectReader
from nyl.git.refs import full_ref
from nyl.git.updates import RefStore
from nyl.kubernetes.publication.branch import BranchPlace, PublishedFolder, cached_head, read_head
from nyl.kubernetes.resources import Publication
from nyl.project.resources import RepositoryLocation
from nyl.state.refs import StateRefs


@dataclass
class PublicationOnDemand:
    """The publication branch of a target, read when it is first asked for anything, once for all renderings."""

    workspace: Workspace
    publication: Publication
    offline: bool

    @cached_property
    def folder(self) -> PublishedFolder:
        """What is published. Raises NYL-URL-REFUSED and NYL-REMOTE-UNAVAILABLE."""
        return open_publication(self.workspace, self.publication, offline=self.offline)

    @property
    def was_read(self) -> bool:
        """Whether anything was asked of it."""
        return "folder" in self.__dict__


def open_publication(workspace: Workspace, publication: Publication, *, offline: bool) -> PublishedFolder:
    """What is published of a target now; offline what is known of it here, without asking the remote.

    Raises NYL-URL-REFUSED, for a branch that holds state too, and NYL-REMOTE-UNAVAILABLE.
    """
    _check_no_state(workspace, publication)
    refs = _refs(workspace, publication, offline=offline)
    place = BranchPlace(refs, full_ref(publication.revision), publication.prefix)
    is_own = refs.repository is workspace.repository
    reader = workspace.objects if is_own else ObjectReader(refs.repository)
    if offline:
        return cached_head(place, reader)
    workspace.listener(Step(None, f"reading {place}"))
    return read_head(place, reader)


def _check_no_state(workspace: Workspace, publication: Publication) -> None:
    own = workspace.repository.remote_url(ORIGIN)
    there = _url(publication.repository) or own
    environments = workspace.worktree.environments.values()
    at_place = (StateRefs(each.name, each.state) for each in environments)
    states = [each for each in at_place if (_url(each.location.repository) or own) == there]
    owner = owner_of(full_ref(publication.revision), states)
    if owner is not None:
        raise NylError(
            Code.URL_REFUSED,
            f"The branch {publication.revision} of a publication is {owner}, which holds nothing but state.",
            "name another branch in publication.revision of the DeploymentTarget, such as `deploy`",
        )


def _url(repository: RepositoryLocation | None) -> str | None:
    """Where a repository is pushed to; None for the project's own."""
    return (repository.publish_url or repository.url) if repository else None


def _refs(workspace: Workspace, publication: Publication, *, offline: bool) -> RefStore:
    url = _url(publication.repository)
    if url is None:
        return own_remote(workspace)
    find = known_mirror if offline else mirror
    return find(workspace.repository, workspace.cache_folder, url)
