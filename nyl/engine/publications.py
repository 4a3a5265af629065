"""Where targets are published: opening the branch, as it is at its repository or as it is known here."""

from dataclasses import dataclass
from functools import cached_property

from nyl.engine.events import Step
from nyl.engine.remotes import own_remote
from nyl.engine.state_branches import StateBranches
from nyl.engine.workspace import Workspace
from nyl.git.mirrors import known_mirror, mirror
from nyl.git.objects import ObjectReader
from nyl.git.refs import full_ref
from nyl.git.updates import RefStore
from nyl.kubernetes.publication.branch import BranchPlace, PublishedFolder, cached_head, read_head
from nyl.kubernetes.resources import Publication


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
    environments = workspace.worktree.environments.values()
    refusal = StateBranches.of(environments, workspace.repository).refusal(publication.repository, publication.revision)
    if refusal is not None:
        raise refusal
    refs = _refs(workspace, publication, offline=offline)
    place = BranchPlace(refs, full_ref(publication.revision), publication.prefix)
    is_own = refs.repository is workspace.repository
    reader = workspace.objects if is_own else ObjectReader(refs.repository)
    if offline:
        return cached_head(place, reader)
    workspace.listener(Step(None, f"reading {place}"))
    return read_head(place, reader)


def _refs(workspace: Workspace, publication: Publication, *, offline: bool) -> RefStore:
    if publication.repository is None:
        return own_remote(workspace)
    find = known_mirror if offline else mirror
    return find(workspace.repository, workspace.cache_folder, publication.repository.pushed_to)
