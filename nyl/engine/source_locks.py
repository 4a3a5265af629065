"""Moving pinned commits to the heads of their revisions: `nyl update source-locks`."""

from collections.abc import Collection, Iterator, Mapping

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, NylError, Problems
from nyl.engine.remotes import SourceRemote
from nyl.engine.results import Report, ReportKind
from nyl.engine.unit_sources import repository_url
from nyl.engine.workspace import Workspace
from nyl.project.locks import LockMove, PinnedField, SourceLock, find_locks, locks_of, move_locks, stale_locks
from nyl.project.resources import GitRepository
from nyl.project.units import RenderedUnit

OPERATION = "update-source-locks"


def update_source_locks(
    workspace: Workspace, *, check_only: bool, target: str | None = None, names: Collection[str] = ()
) -> Report:
    """Moves every lock of the working tree to the head of its revision; with `check_only` only says which would move.

    `target` selects the locks of one DeploymentTarget, `names` those of some owners. Stale locks that stay are
    NYL-SOURCE-LOCKS-STALE in the report, exit 2. Raises NYL-SOURCE-MISSING for a revision that is gone, and
    NYL-REMOTE-UNAVAILABLE.
    """
    locks = locks_of(_all_locks(workspace, target), names)
    remotes: dict[str | None, SourceRemote] = {}

    def head_of(url: str | None, revision: str) -> str:
        if url not in remotes:
            remotes[url] = SourceRemote(workspace, url)
        return remotes[url].revision(revision)

    moves = stale_locks(locks, head_of)
    files = () if check_only else move_locks(workspace.root, moves)
    details = {"locks": len(locks), "moved": [_moved(each) for each in moves], "files": list(files)}
    diagnostics = tuple(_stale(each) for each in moves) if check_only else ()
    return Report(ReportKind.OPERATION, diagnostics=diagnostics, operation=OPERATION, details=details)


def _all_locks(workspace: Workspace, target: str | None) -> list[SourceLock]:
    project = workspace.worktree
    problems = Problems()
    found: set[SourceLock] = set()
    try:
        if target is None:
            found.update(find_locks(project, lambda unit: _pinned_fields(workspace, project.repositories, unit)))
    except NylError as error:
        problems.add(error)
    try:
        if target is not None or project.kubernetes.resources:
            from nyl.kubernetes.source_locks import kubernetes_locks

            found.update(kubernetes_locks(project, target))
    except NylError as error:
        problems.add(error)
    problems.raise_any()
    return sorted(found)


def _pinned_fields(
    workspace: Workspace, repositories: Mapping[str, GitRepository], unit: RenderedUnit
) -> Iterator[PinnedField]:
    for source in workspace.driver_of(unit).inputs(unit.spec).sources:
        if source.revision is None or source.commit is None:
            continue
        url = repository_url(source, repositories, unit.location)
        yield PinnedField(source.pointer, source.revision, source.commit, url)


def _moved(move: LockMove) -> dict[str, str | None]:
    lock = move.lock
    return {
        "place": str(lock.location),
        "owner": lock.owner,
        "revision": lock.revision,
        "repository": lock.repository,
        "old": lock.commit,
        "new": move.head,
    }


def _stale(move: LockMove) -> Diagnostic:
    lock = move.lock
    where = f" of {lock.repository}" if lock.repository else ""
    return Diagnostic(
        Code.SOURCE_LOCKS_STALE,
        f"{lock.owner} pins commit {lock.commit}, and {lock.revision}{where} is at {move.head}.",
        "run `nyl update source-locks` and commit the result",
        location=lock.location,
    )
