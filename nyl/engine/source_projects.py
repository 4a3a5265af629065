"""The projects that units are declared in, at the commits that they work on, for kinds that render what is declared."""

from contextlib import suppress
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

from nyl.engine.commit_identity import commit_identity
from nyl.engine.workspace import Workspace
from nyl.git.config import Identity
from nyl.git.own_place import ORIGIN, own_place
from nyl.units.source_project import Incarnation, SourceProject

if TYPE_CHECKING:  # most projects render no trees of manifests
    from nyl.kubernetes.index import Index, OwnerPlace
    from nyl.kubernetes.inputs.carrying import CarryFiles
    from nyl.kubernetes.publication.branch import PublishedFolder
    from nyl.kubernetes.publication.landing import Committer
    from nyl.kubernetes.resources import Publication
    from nyl.kubernetes.session import RenderSession


class SourceProjects:
    """Opens each commit once for an invocation. `author` commits; None is Git's own identity."""

    def __init__(self, workspace: Workspace, author: Identity | None = None) -> None:
        self._workspace = workspace
        self._author = author
        self._carry_files: CarryFiles | None = None
        self._sessions: dict[str, RenderSession] = {}
        self._projects: dict[str, SourceProject] = {}
        self._branches: dict[tuple[str, str], Lock] = {}
        self._opening = Lock()

    def at(self, commit: str) -> SourceProject:
        """The project at a commit. Nothing is read for it yet."""
        if commit not in self._projects:
            self._projects[commit] = self._project(commit)
        return self._projects[commit]

    def close(self) -> None:
        """Ends what reads other repositories. A later use starts it again."""
        for each in self._sessions.values():
            with suppress(OSError):
                each.close()

    def _project(self, commit: str) -> SourceProject:
        return SourceProject(
            open_project=partial(self._workspace.project_at, commit),
            open_session=partial(self._session, commit),
            open_publication=self._publication,
            open_tree=partial(self._workspace.tree_at, commit),
            cache=self._workspace.cache,
            own_url=self._own_url(),
            committer=self._committer,
            incarnation=self._incarnation,
            state_of=self._state_of,
            exclusively=self._exclusively,
        )

    def _session(self, commit: str) -> "RenderSession":
        from nyl.engine.rendering import commit_session
        from nyl.kubernetes.session import RenderOptions

        with self._opening:  # units of one wave ask at the same time
            if commit not in self._sessions:
                options = RenderOptions(offline=self._workspace.is_local)
                self._sessions[commit] = commit_session(self._workspace, commit, options, self._carried())
            return self._sessions[commit]

    def _carried(self) -> "CarryFiles":
        if self._carry_files is None:
            from nyl.engine.rendering import open_carry_files

            self._carry_files = open_carry_files(self._workspace)
        return self._carry_files

    def _publication(self, publication: "Publication") -> "PublishedFolder":
        from nyl.engine.publications import open_publication

        return open_publication(self._workspace, publication, offline=False)

    def _exclusively(self, publication: "Publication") -> Lock:
        from nyl.git.urls import comparable_url

        repository = publication.repository
        url = repository.pushed_to if repository else own_place(self._workspace.repository)
        return self._branches.setdefault((comparable_url(url), publication.revision), Lock())

    def _own_url(self) -> str | None:
        from nyl.git.urls import shared_url

        url = self._workspace.repository.remote_url(ORIGIN)
        return shared_url(url) if url else None

    def _committer(self) -> "Committer":
        from nyl.kubernetes.publication.landing import Committer

        identity = commit_identity(self._workspace, self._author)
        return Committer(identity, self._workspace.clock.now().epoch_seconds)

    def _incarnation(self, index: "Index") -> Incarnation:
        from nyl.engine.incarnations import find_owner

        return find_owner(self._workspace, index)

    def _state_of(self, environment: str) -> "OwnerPlace | None":
        from nyl.engine.owner_states import owner_place

        declared = self._workspace.worktree.environments.get(environment)
        return owner_place(self._workspace, declared.state) if declared else None
