"""Branches that hold the state of environments, which nothing but state is pushed to."""

from collections.abc import Iterable

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.engine.push_guard import owner_of
from nyl.engine.remotes import own_place
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
        """NYL-URL-REFUSED for a tree on a branch that holds state, however its repository is spelled; else None."""
        there = spellings(repository, self.own_url)
        states = [
            each
            for each in self.environments
            if not there.isdisjoint(spellings(each.location.repository, self.own_url))
        ]
        owner = owner_of(full_ref(branch), states)
        if owner is None:
            return None
        return NylError(
            Code.URL_REFUSED,
            f"The branch {branch} of a publication is {owner}, which holds nothing but state.",
            "name another branch in publication.revision of the DeploymentTarget, such as `deploy`",
        )
