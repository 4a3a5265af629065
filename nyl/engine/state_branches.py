"""Branches that hold the state of environments: nothing else is pushed to them, nor to branches above or below."""

from collections.abc import Iterable, Sequence

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.engine.push_guard import owner_of
from nyl.git.own_place import own_place
from nyl.git.refs import full_ref
from nyl.git.repository import Repository
from nyl.project.repositories import spellings
from nyl.project.resources import Environment, RepositoryLocation
from nyl.state.refs import StateRefs


@dataclass(frozen=True)
class StateBranches:
    """The branches of some environments. `own_url` is where the project's own repository is."""

    environments: tuple[StateRefs, ...]
    own_url: str

    @classmethod
    def of(cls, environments: Iterable[Environment], repository: Repository) -> "StateBranches":
        """Those of environments that a project of a repository declares. Asks no remote."""
        return cls(tuple(StateRefs(each.name, each.state) for each in environments), own_place(repository))

    def refusal(self, repository: RepositoryLocation | None, branch: str) -> NylError | None:
        """NYL-URL-REFUSED for a tree on a branch that holds state or leaves it no room; else None.

        A repository is known however it is spelled.
        """
        there = spellings(repository, self.own_url)
        states = [
            each
            for each in self.environments
            if not there.isdisjoint(spellings(each.location.repository, self.own_url))
        ]
        why = _why_not(full_ref(branch), states)
        if why is None:
            return None
        return NylError(
            Code.URL_REFUSED,
            f"The branch {branch} of a publication {why}.",
            "name another branch in publication.revision of the DeploymentTarget, such as `deploy`",
        )


def _why_not(ref: str, states: Sequence[StateRefs]) -> str | None:
    """Why nothing can be published to a ref of the repository that the states of some environments are in."""
    owner = owner_of(ref, states)
    if owner is not None:
        return f"is {owner}, which holds nothing but state"
    for each in states:
        own = each.colliding(ref)
        if own is not None:
            return f"leaves no room for {own} of {each.environment}, as Git keeps no ref below another"
    return None
