"""The source commit S of one environment: what decides it, and what it must be reachable from.

Follows the section Source commit of the Runs page.
"""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, NylError, Severity
from nyl.engine.driver_answers import inputs_of
from nyl.engine.remotes import SourceRemote
from nyl.engine.workspace import Workspace
from nyl.git.ancestry import is_ancestor, is_reachable
from nyl.git.snapshots import Snapshot
from nyl.project.resources import Environment
from nyl.project.units import RenderedUnit


@dataclass(frozen=True)
class Source:
    """The commit that a run works at. `override` is what --source named, `snapshot` what --worktree captured."""

    commit: str
    override: str | None = None
    snapshot: Snapshot | None = None

    @property
    def revision(self) -> str:
        """What documents record as the revision whose content is read."""
        return self.snapshot.ref if self.snapshot else self.commit

    @property
    def worktree(self) -> dict[str, object] | None:
        """What reports tell of the snapshot."""
        found = self.snapshot
        if found is None:
            return None
        return {"snapshot": found.commit, "base": found.base, "ref": found.ref, "files": found.files}

    @property
    def details(self) -> dict[str, object]:
        """What transition commits tell of a source that is not the environment's own."""
        override = {"revision": self.override, "commit": self.commit} if self.override is not None else None
        told = {"sourceOverride": override, "worktreeSource": self.worktree}
        return {name: each for name, each in told.items() if each is not None}


def decide_source(workspace: Workspace, environment: Environment, override: str | None) -> Source:
    """S of an environment, checked against what it must be reachable from.

    Raises NYL-SOURCE-MISSING when there is no such commit, and NYL-SOURCE-UNREACHABLE.
    """
    remote = SourceRemote(workspace)
    wanted = environment.source
    if override is not None:
        source = Source(remote.revision(override), override)
    elif wanted.commit is not None and wanted.revision is not None:
        source = Source(remote.pinned(wanted.commit, wanted.revision))
        _require_reachable(remote, environment, source.commit, [wanted.revision])
        return source
    elif wanted.revision is not None:
        source = Source(remote.revision(wanted.revision))
    else:
        source = Source(_worktree_commit(workspace))
    if not environment.allow_unprotected_source:
        _require_reachable(remote, environment, source.commit, [])
    return source


def snapshot_notice(environment: str, source: Source) -> tuple[Diagnostic, ...]:
    """NYL-SOURCE-WORKTREE when S is a snapshot: results of such a run are no evidence of a committed source."""
    if source.snapshot is None:
        return ()
    return (
        Diagnostic(
            Code.SOURCE_WORKTREE,
            f"{environment} works at snapshot {source.commit} of the working tree over "
            f"{source.snapshot.base or 'no commit'}, uncommitted changes included",
            "commit the changes and run without --worktree to have results of a committed source",
            Severity.WARNING,
            environment,
        ),
    )


def check_snapshot_source(workspace: Workspace, environment: Environment) -> None:
    """A snapshot counts as unprotected. Raises NYL-SOURCE-UNREACHABLE where that is not allowed.

    NYL-WORKTREE-REFUSED comes first, as it would stay, and so does what keeps the units from being rendered.
    """
    if environment.allow_unprotected_source:
        return
    for unit in workspace.worktree.render(environment).units.values():
        if inputs_of(unit, workspace.driver_of(unit)).requires_commit:
            raise needs_commit(unit).about(environment=environment.name)
    raise NylError(
        Code.SOURCE_UNREACHABLE,
        f"A snapshot of the working tree is reachable from no protected ref of {environment.name}.",
        f"commit and merge the changes, or set allowUnprotectedSource: true on Environment {environment.name}",
        environment=environment.name,
    )


def needs_commit(unit: RenderedUnit) -> NylError:
    """NYL-WORKTREE-REFUSED for a unit of a kind that no snapshot will do for."""
    return NylError(
        Code.WORKTREE_REFUSED,
        f"Unit {unit.name} ({unit.kind}) needs committed source, and --worktree gives it none.",
        "commit the changes and run without --worktree",
        unit=unit.name,
        location=unit.location,
    )


def check_unit_pin(environment: Environment, remote: SourceRemote, commit: str, revision: str) -> None:
    """A commit that a unit pins must be reachable from its own revision, or in the project's repository from a
    protected ref. Raises NYL-SOURCE-UNREACHABLE."""
    _require_reachable(remote, environment, commit, [revision])


def _worktree_commit(workspace: Workspace) -> str:
    if workspace.head is None:
        raise NylError(
            Code.SOURCE_MISSING,
            "The repository has no commit yet, and a run works at a commit.",
            "commit the project with `git add -A && git commit -m 'Start a project'`, then run nyl again",
        )
    return workspace.head


def _require_reachable(remote: SourceRemote, environment: Environment, commit: str, revisions: Sequence[str]) -> None:
    protected = _protected_patterns(remote, environment) if remote.is_project else ()
    branches = map(_full, revisions)
    if is_ancestor(remote.repository, commit, remote.known_tips([*protected, *branches])):
        return
    patterns = [*protected, *(remote.revision_ref(each) for each in revisions)]
    refs = _expand(remote, patterns)
    found = is_reachable(remote.repository, remote.refs, commit, refs)
    if not found:
        # The default branch is searched by its name and as HEAD where a revision names it too.
        searched = ", ".join(dict.fromkeys(map(remote.spelled, sorted(found.searched) or patterns)))
        raise NylError(
            Code.SOURCE_UNREACHABLE,
            f"Commit {commit} is not reachable from any of: {searched} (of {remote.description}).",
            f"merge and push it there, choose another source, or change protectedRefs of {environment.name}"
            + ("" if revisions else "; allowUnprotectedSource: true lets the environment run from any commit"),
            environment=environment.name,
        )


def _protected_patterns(remote: SourceRemote, environment: Environment) -> tuple[str, ...]:
    """The full names, or globs of them, of an environment's protected refs; by default the default branch."""
    if environment.protected_refs is None:
        return (remote.default_pattern,)
    return tuple(map(_full, environment.protected_refs))


def _full(pattern: str) -> str:
    return pattern if pattern.startswith("refs/") else f"refs/heads/{pattern}"


def _expand(remote: SourceRemote, patterns: Iterable[str]) -> tuple[str, ...]:
    globs = [each for each in patterns if "*" in each]
    refs = [each for each in patterns if "*" not in each]
    if globs:
        stems = tuple(each.partition("*")[0] + "*" for each in globs)
        advertised = remote.refs.list(*stems)
        refs += [ref for ref in advertised if any(fnmatchcase(ref, glob) for glob in globs)]
    return tuple(dict.fromkeys(refs))
