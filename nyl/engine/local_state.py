"""Work on the local copy of a state: bringing it to the remote that holds the state, or dropping it.

Follows the section Recovery with local state of the Recovery page.
"""

from datetime import timedelta

import nyl
from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, NylError, Severity
from nyl.core.ids import new_id
from nyl.engine.administration import environment_named
from nyl.engine.commit_identity import commit_identity
from nyl.engine.remotes import SourceRemote
from nyl.engine.results import EnvironmentReport, Report, ReportKind
from nyl.engine.states import States, runner_name
from nyl.engine.workspace import Workspace
from nyl.git.ancestry import is_ancestor
from nyl.git.config import Identity
from nyl.git.remotes import Remote
from nyl.state.access import StateAccess
from nyl.state.dropping import Dropped, ResetRequest, drop
from nyl.state.publishing import Published, await_import, publish
from nyl.state.refs import StateRefs
from nyl.state.store import StateStore
from nyl.state.taking import RunRequest
from nyl.state.transitions import SOURCE_COMMIT, parse_transition

PUBLISH, RESET = "state-publish", "state-reset"


def publish_state(
    workspace: Workspace, environment: str, author: Identity | None, wait_lease: timedelta | None
) -> Report:
    """Pushes what local runs did to the remote that holds the state (`nyl state publish`).

    Raises NYL-STATE-UNPUBLISHED when the remote moved, NYL-LEASE-HELD, NYL-LEASE-BROKEN and NYL-PUSH-REFUSED. Nothing
    was written then.
    """
    identity = commit_identity(workspace, author)
    store = States(workspace).online(environment_named(workspace, environment))
    orchestration = workspace.config.orchestration
    request = RunRequest(
        run=new_id(),
        operation=PUBLISH,
        runner=runner_name(workspace.environ),
        identity=identity,
        source_commit=workspace.head or "",
        term=orchestration.resolution_timeout + orchestration.lease_grace,
        imports=True,
        keeps_run_ref=False,
        given_up=workspace.cancelled,
    )
    if not isinstance(store.access.remote, Remote):
        await_import(store, request, wait_lease)
        return _report(environment, PUBLISH, {"commits": 0})
    published = publish(store, request, wait_lease)
    warnings = (*_missing_sources(workspace, store, published), *_to_import(environment, published))
    return _report(environment, PUBLISH, _published_details(store.refs, published), warnings)


def reset_state(workspace: Workspace, environments: tuple[str, ...], reason: str, author: Identity | None) -> Report:
    """Drops what local runs did and nobody published (`nyl state reset`). Asks no remote.

    Raises NYL-STATE-IN-USE where work of environments that are not named would go too, NYL-LEASE-HELD,
    NYL-LEASE-BROKEN and NYL-PUSH-REFUSED. Work of environments before the one that is refused is dropped then.
    """
    identity, states = commit_identity(workspace, author), States(workspace)
    request = ResetRequest(identity, runner_name(workspace.environ), reason, nyl.__version__, frozenset(environments))
    sections: list[EnvironmentReport] = []
    details: dict[str, object] = {}
    for name in environments:
        declared = environment_named(workspace, name)
        dropped = _dropped(states.online(declared).access, states.local(declared).access, request)
        sections.append(EnvironmentReport(name, diagnostics=_ran(name, dropped), details=_dropped_details(dropped)))
    if len(environments) == 1:
        details = dict(sections[0].details)
    return Report(ReportKind.OPERATION, tuple(sections), operation=RESET, details=details)


def _dropped(online: StateAccess, local: StateAccess, request: ResetRequest) -> Dropped:
    """What goes. A state without a remote has no copy: nothing of it is local work."""
    if isinstance(online.remote, Remote):
        return drop(online, local, request)
    online.check_unclaimed(online.look())
    return Dropped()


def _report(
    environment: str, operation: str, details: dict[str, object], warnings: tuple[Diagnostic, ...] = ()
) -> Report:
    section = EnvironmentReport(environment, diagnostics=warnings)
    return Report(ReportKind.OPERATION, (section,), operation=operation, details=details)


def _published_details(refs: StateRefs, published: Published) -> dict[str, object]:
    tips = {"desired": published.tips.get(refs.desired), "observed": published.tips.get(refs.observed)}
    found = {name: commit for name, commit in tips.items() if commit is not None}
    return {**found, "commits": len(published.commits), **({"runs": list(published.runs)} if published.runs else {})}


def _dropped_details(dropped: Dropped) -> dict[str, object]:
    kept = {"kept": dropped.kept} if dropped.kept else {}
    return {"commits": len(dropped.commits), "runs": list(dropped.runs), "units": list(dropped.units), **kept}


def _ran(environment: str, dropped: Dropped) -> tuple[Diagnostic, ...]:
    """What happened outside of Git stays when its record goes."""
    if not dropped.units:
        return ()
    return (
        Diagnostic(
            Code.STATE_UNPUBLISHED,
            f"local runs did something to {', '.join(dropped.units)}, and the state of {environment} does not know it",
            f"see `git log {dropped.kept}`; a unit that must not run again as if nothing had happened is held with "
            f"`nyl hold -e {environment} --unit <unit>`",
            Severity.WARNING,
            environment,
        ),
    )


def _to_import(environment: str, published: Published) -> tuple[Diagnostic, ...]:
    return tuple(
        Diagnostic(
            Code.RUN_UNIMPORTED,
            f"run {run} of {environment} ended without a transition; what it recorded was published with it",
            f"the next `nyl reconcile -e {environment}` imports it, and so does `nyl recover -e {environment}`",
            Severity.WARNING,
            environment,
        )
        for run in published.runs
    )


def _missing_sources(workspace: Workspace, store: StateStore, published: Published) -> tuple[Diagnostic, ...]:
    """Source commits that other clones cannot fetch. Snapshots of working trees are in the published history."""
    records = [parse_transition(store.access.message(each)) for each in published.commits]
    wanted = dict.fromkeys(
        each.trailers[SOURCE_COMMIT]
        for each in records
        if SOURCE_COMMIT in each.trailers and "worktreeSource" not in each.summary
    )
    remote = SourceRemote(workspace)
    if not wanted or remote.is_embedded:
        return ()
    try:
        tips = remote.refs.fetch("refs/heads/*").values()
    except NylError:
        return ()  # what was published is so whether or not this can be told
    return tuple(
        Diagnostic(
            Code.SOURCE_UNREACHABLE,
            f"commit {commit}, which local runs of {store.refs.environment} worked at, is on no branch of "
            f"{remote.description}: no other clone can tear down what they made from its own files",
            f"push it, such as with `git push origin {commit}:refs/heads/<branch>`",
            Severity.WARNING,
            store.refs.environment,
        )
        for commit in wanted
        if not is_ancestor(workspace.repository, commit, tips)
    )
