"""What a run that CI repeats may work at: it does not take an environment back behind what was reconciled since."""

from dataclasses import field

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, NylError, Severity
from nyl.engine.remotes import SourceRemote
from nyl.engine.source import Source
from nyl.git.ancestry import precedes
from nyl.project.resources import Environment
from nyl.state.documents import EnvironmentRecord


@dataclass(frozen=True)
class Rerun:
    """A run that is repeated at S. It asks the remote once about a recorded commit: best before it holds the lease."""

    remote: SourceRemote
    environment: Environment
    source: Source
    _known: dict[str, bool | None] = field(default_factory=dict)

    def check(self, recorded: EnvironmentRecord | None) -> tuple[Diagnostic, ...]:
        """Raises NYL-SOURCE-SUPERSEDED where S is older than the source commit that was `recorded` last.

        A commit that somebody named, with --source or in the Environment, is meant: only that of the checkout counts.
        Gives a warning where the recorded commit cannot be had, so that nothing tells which one is older.
        """
        source, name = self.source, self.environment.name
        is_named = source.override or source.snapshot or self.environment.source.revision
        if is_named or recorded is None:
            return ()
        later = recorded.source_commit
        if later not in self._known:
            self._known[later] = _precedes(self.remote, source.commit, later)
        if self._known[later] is None:
            return (_unknown_order(self.remote, name, source.commit, later),)
        if not self._known[later]:
            return ()
        raise NylError(
            Code.SOURCE_SUPERSEDED,
            f"This run is repeated, and its commit {source.commit} is older than {later}, which {name} was reconciled "
            "at since. Nothing was run.",
            f"to go back to it, run `nyl reconcile -e {name} --source {source.commit}`; otherwise repeat the newest "
            "run instead",
            environment=name,
        )


def _precedes(remote: SourceRemote, commit: str, later: str) -> bool | None:
    """Whether a commit is an ancestor of a later one; None when the later one cannot be had."""
    branch = remote.default_pattern
    if commit == later or commit in remote.refs.list(branch).values():
        return False
    return precedes(remote.repository, remote.refs, commit, later, (branch,))


def _unknown_order(remote: SourceRemote, environment: str, commit: str, recorded: str) -> Diagnostic:
    return Diagnostic(
        Code.SOURCE_MISSING,
        f"this run is repeated, and {remote.description} does not have commit {recorded}, which {environment} was "
        f"reconciled at last, so that nyl cannot tell whether {commit} is older",
        f"if it was, run `nyl reconcile -e {environment}` from the newest commit",
        Severity.WARNING,
        environment,
    )
