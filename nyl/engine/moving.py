"""`nyl state move`: bringing an environment's state from another repository or other refs to its configured place."""

from dataclasses import replace

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.administration import environment_named
from nyl.engine.operations import Actor, Change, Operation, operate_on, trailers_of
from nyl.engine.results import Report
from nyl.engine.states import States
from nyl.engine.workspace import Workspace
from nyl.git.own_place import own_place
from nyl.git.refs import without_credentials
from nyl.git.remotes import Remote
from nyl.git.urls import comparable_url
from nyl.project.repositories import spellings
from nyl.project.resources import RepositoryLocation, StateLocation
from nyl.state.initializing import described
from nyl.state.local_work import check_published
from nyl.state.moving import Arrival, copy_state
from nyl.state.snapshot import StateSnapshot
from nyl.state.store import StateStore
from nyl.state.transitions import format_transition, with_trailers
from nyl.state.writing import Committer


def move_state(workspace: Workspace, operation: Operation, url: str) -> Report:
    """Moves the state of an environment from the repository of a URL to where its declaration says it lives.

    The history arrives first; then the old place gets a marker that sends old runners on. A move that was interrupted
    between the two goes on when it is run again. Raises NYL-STATE-MISSING where the URL holds no state of the
    environment, NYL-STATE-EXISTS where the configured place has another one, and what `operate_on` raises.
    """
    environment = environment_named(workspace, operation.environment)
    states = States(workspace)
    target = states.store(environment)
    source = _find(workspace, states, operation.environment, environment.state, url)
    _check_published(states, operation.environment, source)
    moving = _Moving(workspace, operation, source, target)
    return operate_on(workspace, source, operation, moving.change)


def _check_published(states: States, environment: str, source: StateStore) -> None:
    """Raises NYL-STATE-UNPUBLISHED where local work on the old place would be left behind.

    It lies beside what was fetched from there: for the project's own remote in the project's repository.
    """
    own = states.store_at(environment, replace(source.refs.location, repository=None))
    for store in (source, own):
        if isinstance(store.access.remote, Remote):
            check_published(store.access)


class _Moving:
    def __init__(self, workspace: Workspace, operation: Operation, source: StateStore, target: StateStore) -> None:
        self._workspace = workspace
        self._operation = operation
        self._source = source
        self._target = target

    def change(self, snapshot: StateSnapshot, actor: Actor) -> Change:
        """Copies the state; the change is the marker at its old place."""
        origin, place = _place(self._source), _place(self._target)
        event = {"event": "moved", "from": origin, "at": actor.at.iso(), "by": str(actor.identity)}
        record = snapshot.record
        arrived = replace(record, location=described(self._target.access), events=(*record.events, event))
        trailers = trailers_of(self._workspace, self._operation, actor)
        trailers = with_trailers(trailers, snapshot.desired_commit, snapshot.observed_commit)
        headline, summary = f"nyl: state move {snapshot.environment}", {"movedFrom": origin}
        message = format_transition(headline, summary, trailers)
        arrival = Arrival(arrived, message, Committer(actor.identity, actor.at))
        commits = copy_state(self._source.access, self._target.access, snapshot, arrival)
        refs = self._target.refs
        marker = {"to": place, "at": actor.at.iso(), "by": str(actor.identity)}
        return Change(
            summary={"movedTo": place},
            details={"movedTo": place, "newDesired": commits[refs.desired], "newObserved": commits[refs.observed]},
            record=replace(record, moved=marker),
        )


def _find(workspace: Workspace, states: States, environment: str, configured: StateLocation, url: str) -> StateStore:
    """The place in the repository of a URL that holds the state: the configured refs, or the usual ones."""
    there = RepositoryLocation(url)
    names = dict.fromkeys((replace(configured, repository=None), StateLocation.usual(environment)))
    same = _same_repository(workspace, configured, url)
    candidates = [each for each in names if not (same and each == replace(configured, repository=None))]
    for each in candidates:
        store = states.store_at(environment, replace(each, repository=there))
        commits = [store.access.look().at(ref) for ref in store.refs.state]
        found = [commit for commit in commits if commit and store.access.documents.record(commit)]
        if len(found) == len(commits):
            return store
    refs = " or ".join(f"{each.desired_ref} and {each.observed_ref}" for each in candidates)
    raise NylError(
        Code.STATE_MISSING,
        f"{without_credentials(url)} holds no state of {environment} on {refs or 'refs other than its own'}.",
        "give the URL of the repository that holds the state now; `git ls-remote <url>` shows its refs",
        environment=environment,
    )


def _same_repository(workspace: Workspace, configured: StateLocation, url: str) -> bool:
    return comparable_url(url) in spellings(configured.repository, own_place(workspace.repository))


def _place(store: StateStore) -> dict[str, str]:
    location = described(store.access)
    return {"repository": store.access.remote.description, **location}
