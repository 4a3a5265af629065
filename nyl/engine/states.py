"""Opening the state of environments: which repository holds it, and who writes to it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from nyl.engine.events import Step
from nyl.engine.ledger import Ledger, StoredArtifact
from nyl.engine.remotes import own_remote
from nyl.engine.workspace import Workspace
from nyl.git.commits import CommitWriter
from nyl.git.local_copy import LocalCopy
from nyl.git.mirrors import kept_mirror, mirror
from nyl.git.objects import ObjectReader
from nyl.git.remotes import Remote
from nyl.git.updates import RefStore
from nyl.project.resources import Environment, StateLocation
from nyl.state.documents import Data
from nyl.state.local_work import check_published
from nyl.state.snapshot import StateSnapshot
from nyl.state.store import StateParts, StateStore


@dataclass
class States:
    """The states of a workspace's environments, each opened once."""

    workspace: Workspace
    _stores: dict[str, StateStore] = field(default_factory=dict)

    def store(self, environment: Environment) -> StateStore:
        """The state of an environment, where its declaration in the working tree says it lives.

        With --local its local copy. Raises NYL-STATE-UNPUBLISHED where that holds work which the state lacks.
        """
        if environment.name not in self._stores:
            store = self.unchecked(environment)
            if not store.access.is_local and isinstance(store.access.remote, Remote):
                check_published(store.access)
            self._stores[environment.name] = store
        return self._stores[environment.name]

    def unchecked(self, environment: Environment) -> StateStore:
        """The same, whatever the local copy holds: for what writes to no state ref."""
        return self.unchecked_at(environment.name, environment.state)

    def unchecked_at(self, environment: str, location: StateLocation) -> StateStore:
        """The same of an environment that need not be declared."""
        opened = self._local_at if self.workspace.is_local else self.store_at
        return opened(environment, location)

    def online(self, environment: Environment) -> StateStore:
        """The state itself, whatever its local copy holds."""
        return self.store_at(environment.name, environment.state)

    def store_at(self, environment: str, location: StateLocation) -> StateStore:
        """The state of an environment at any place, whatever its local copy holds."""
        workspace, url = self.workspace, _url(location)
        if url is None:
            return self._opened(environment, location, own_remote(workspace))
        return self._opened(environment, location, mirror(workspace.repository, workspace.cache_folder, url))

    def local(self, environment: Environment) -> StateStore:
        """The local copy of the state; the state itself where it has no remote."""
        return self._local_at(environment.name, environment.state)

    def _local_at(self, name: str, location: StateLocation) -> StateStore:
        workspace, url = self.workspace, _url(location)
        if url is not None:
            original: RefStore = kept_mirror(workspace.repository, workspace.cache_folder, url)
        else:
            original = own_remote(workspace)
        online = self._opened(name, location, original)
        if not isinstance(original, Remote):
            return online
        copy = LocalCopy(original.repository, original.description, online.refs.state, online.access.seen.last)
        return self._opened(name, location, copy, is_local=True)

    def _opened(
        self, environment: str, location: StateLocation, remote: RefStore, *, is_local: bool = False
    ) -> StateStore:
        workspace, repository = self.workspace, remote.repository
        is_own = repository is workspace.repository
        parts = StateParts(
            repository=repository,
            remote=remote,
            reader=workspace.objects if is_own else ObjectReader(repository),
            writer=CommitWriter(repository),
            cache=workspace.cache,
            clock=workspace.clock,
            on_wait=lambda text: workspace.listener(Step(environment, text)),
            is_local=is_local,
        )
        return StateStore(parts, environment, location)


def _url(location: StateLocation) -> str | None:
    """Where state commits are pushed to; None for the project's own repository."""
    return location.repository.pushed_to if location.repository else None


def stored_artifact(store: StateStore) -> StoredArtifact:
    """Reads the artifacts of receipts of an environment."""

    def read(snapshot: StateSnapshot, unit: str, name: str) -> Data:
        receipt = snapshot.observed[unit].receipt
        assert receipt is not None
        return store.artifact(snapshot.observed_commit, unit, name, receipt.artifacts[name])

    return read


def ledger_of(store: StateStore, snapshot: StateSnapshot) -> Ledger:
    """A ledger that nothing was added to yet."""
    return Ledger(snapshot, stored_artifact(store))


def ci_run(environ: Mapping[str, str]) -> str | None:
    """The URL of the CI run, or the word `ci` where the CI system does not tell one; None on a workstation."""
    if environ.get("GITHUB_ACTIONS") == "true" and environ.get("GITHUB_RUN_ID"):
        return runner_name(environ)
    if environ.get("CI", "").lower() in ("", "0", "false"):
        return None
    return environ.get("CI_JOB_URL") or environ.get("BUILD_URL") or "ci"


def runner_name(environ: Mapping[str, str]) -> str:
    """Who runs: the URL of the CI run with its attempt, else user and host; in characters that print."""
    return "".join(each if each.isprintable() else "?" for each in _runner(environ))


def _runner(environ: Mapping[str, str]) -> str:
    if environ.get("GITHUB_ACTIONS") == "true" and environ.get("GITHUB_RUN_ID"):
        server, repository = environ.get("GITHUB_SERVER_URL", ""), environ.get("GITHUB_REPOSITORY", "")
        run, attempt = environ["GITHUB_RUN_ID"], environ.get("GITHUB_RUN_ATTEMPT", "1")
        return f"{server}/{repository}/actions/runs/{run}/attempts/{attempt}"
    user = environ.get("USER") or environ.get("LOGNAME") or "unknown"
    return f"{user}@{os.uname().nodename or 'localhost'}"
