"""The project that a unit is declared in, at the commit that it works on, for kinds that render what it declares."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING

from nyl.core.cache import Cache
from nyl.core.dataclass import dataclass
from nyl.project.discovery import Project
from nyl.project.trees import WholeTree

if TYPE_CHECKING:  # most projects render no trees of manifests
    from nyl.kubernetes.index import Index, OwnerPlace
    from nyl.kubernetes.publication.branch import PublishedFolder
    from nyl.kubernetes.publication.landing import Committer
    from nyl.kubernetes.resources import Publication
    from nyl.kubernetes.session import RenderSession


@dataclass(frozen=True)
class Incarnation:
    """An incarnation of a unit, as the state of its environment has it."""

    exists: bool
    """True too where the state cannot be read: nobody knows then that it is gone."""
    unit: str | None = None
    """The unit's name, where it is known."""
    obstacle: str | None = None
    """Why nobody knows whether it is gone; None where somebody does."""
    way_out: str = ""
    """What can be done about the obstacle."""


@dataclass(frozen=True)
class SourceProject:
    """A project at one commit. Nothing is read before it is asked for.

    Everything that is asked of it raises NylError where it cannot be had.
    """

    open_project: Callable[[], Project]
    """Gives what the project declares, parsed once for all."""

    open_session: Callable[[], "RenderSession"]
    """Gives the one session that all share who render the project; whoever made the SourceProject closes it."""

    open_publication: Callable[["Publication"], "PublishedFolder"]
    """The publication of a target as it is now, read anew with each call."""

    open_tree: Callable[[], WholeTree]
    """Gives all files of the source."""

    cache: Cache
    """What was found out before."""

    own_url: str | None
    """The URL of the project's own repository, without credentials; None where it has none."""

    committer: Callable[[], "Committer"]
    """Who commits, and when. Raises NYL-COMMIT-IDENTITY-MISSING."""

    incarnation: Callable[["Index"], Incarnation]
    """What is known of the unit that an index names as its owner."""

    state_of: Callable[[str], "OwnerPlace | None"] = lambda _: None
    """Where the state of an environment lives; None where no URL says that everywhere."""

    exclusively: Callable[["Publication"], AbstractContextManager[object]] = nullcontext
    """Keeps the other units of this process from pushing to the branch of a target for as long as a block runs."""

    @cached_property
    def session(self) -> "RenderSession":
        """What rendering the project works on; its `tree` and `commit` are those of the source."""
        return self.open_session()

    @cached_property
    def tree(self) -> WholeTree:
        """All files of the source."""
        return self.open_tree()

    @property
    def project(self) -> Project:
        """What the project declares."""
        return self.open_project()
