"""What a run that CI repeats may work at: it does not take an environment back behind what was reconciled since."""

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.remotes import SourceRemote
from nyl.engine.source import Source
from nyl.git.ancestry import fetch_commit, is_ancestor
from nyl.project.resources import Environment
from nyl.state.documents import EnvironmentRecord


def check_rerun(
    remote: SourceRemote, environment: Environment, source: Source, recorded: EnvironmentRecord | None
) -> None:
    """Raises NYL-SOURCE-SUPERSEDED where S is older than the source commit that was `recorded` last.

    A commit that somebody named, with --source or in the Environment, is meant: only that of the checkout counts.
    """
    is_named = source.override is not None or source.snapshot is not None or environment.source.revision is not None
    if is_named or recorded is None or not _precedes(remote, source.commit, recorded.source_commit):
        return
    raise NylError(
        Code.SOURCE_SUPERSEDED,
        f"This run is repeated, and its commit {source.commit} is older than {recorded.source_commit}, which "
        f"{environment.name} was reconciled at since. Nothing was run.",
        f"to go back to it, run `nyl reconcile -e {environment.name} --source {source.commit}`; otherwise repeat the "
        "newest run instead",
        environment=environment.name,
    )


def _precedes(remote: SourceRemote, commit: str, later: str) -> bool:
    """Whether a commit is an ancestor of a later one. A shallow clone, as CI has them, gets the history it takes."""
    newest = remote.refs.list(remote.default_pattern).values()
    if commit == later or commit in newest or not fetch_commit(remote.repository, remote.refs, later):
        return False
    if is_ancestor(remote.repository, commit, [later]):
        return True
    if not remote.repository.is_shallow:
        return False
    remote.refs.deepen("--unshallow", remote.default_pattern)
    return is_ancestor(remote.repository, commit, [later])
