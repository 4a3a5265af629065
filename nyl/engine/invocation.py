"""The environments of one invocation: rendered at their own sources, producers first.

Follows the section Multi-environment runs of the Runs page.
"""

from collections.abc import Mapping
from dataclasses import field

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.engine.events import Step
from nyl.engine.preparation import (
    PreparedEnvironment,
    RenderedEnvironment,
    environments_needed,
    prepare_environment,
    render_environment,
)
from nyl.engine.requests import Selection, SourceChoice
from nyl.engine.selection import order_environments, select_environments
from nyl.engine.source import Source, check_snapshot_source, decide_source
from nyl.engine.source_projects import SourceProjects
from nyl.engine.workspace import Workspace
from nyl.git.config import Identity
from nyl.git.snapshots import Snapshot, capture
from nyl.project.resources import Environment, EnvironmentSource
from nyl.project.units import RenderedUnit


@dataclass
class Invocation:
    """The selected environments in the order they run. What kept one from being rendered is in `failures`."""

    workspace: Workspace
    order: tuple[str, ...]
    rendered: Mapping[str, RenderedEnvironment]
    sources: SourceProjects
    failures: dict[str, NylError] = field(default_factory=dict)

    def prepare(self, name: str) -> PreparedEnvironment:
        """Checks one of the environments. Raises what rendering it raised, or every problem of its units."""
        if name in self.failures:
            raise self.failures[name]
        rendered = self.rendered[name]
        return prepare_environment(self.workspace, rendered, lambda other: self._units_of(rendered, other))

    def _units_of(self, consumer: RenderedEnvironment, name: str) -> Mapping[str, RenderedUnit] | None:
        """The enabled units of another environment: as this invocation renders it, else as the consumer's S does."""
        if name in self.rendered:
            return self.rendered[name].rendering.units
        environment = consumer.project.environments.get(name)
        return consumer.project.render(environment).units if environment else None


def open_invocation(
    workspace: Workspace, selection: Selection, choice: SourceChoice, author: Identity | None = None
) -> Invocation:
    """Selects environments, decides their sources, renders them, and puts them in order.

    `author` commits what units publish; None is Git's own identity.

    Raises what concerns no single environment, such as an unknown name or a cycle; anything else waits in `failures`.
    """
    project = workspace.worktree
    selected = select_environments(project.environments, project.groups, selection)
    if choice.override is not None and len(selected) > 1:
        names = ", ".join(each.name for each in selected)
        raise NylError(
            Code.USAGE, f"--source takes exactly one environment, and {names} are selected.", "name one with -e"
        )
    snapshot = _capture(workspace, selected[0]) if choice.worktree else None
    sources = SourceProjects(workspace, author)
    rendered: dict[str, RenderedEnvironment] = {}
    failures: dict[str, NylError] = {}
    for declared in selected:
        try:
            source = _source(workspace, declared, choice, snapshot)
            rendered[declared.name] = render_environment(workspace, declared, source, sources)
        except NylError as error:
            failures[declared.name] = error.about(environment=declared.name)
    several = len(selected) > 1
    needs = {
        each.name: environments_needed(workspace, rendered[each.name])
        if several and each.name in rendered
        else frozenset[str]()
        for each in selected
    }
    return Invocation(workspace, order_environments(needs), rendered, sources, failures)


def _source(workspace: Workspace, environment: Environment, choice: SourceChoice, snapshot: Snapshot | None) -> Source:
    if choice.proposal is not None and _follows(environment.source, choice.proposal.branch):
        return Source(choice.proposal.commit)
    if snapshot is None:
        return decide_source(workspace, environment, choice.override)
    return Source(snapshot.commit, snapshot=snapshot)


def _follows(source: EnvironmentSource, branch: str | None) -> bool:
    """Whether an environment's source is whatever a branch has."""
    if source.commit is not None:
        return False
    return branch is None or source.revision in (None, branch, f"refs/heads/{branch}")


def _capture(workspace: Workspace, environment: Environment) -> Snapshot:
    check_snapshot_source(workspace, environment)
    base = workspace.head
    workspace.listener(
        Step(
            environment.name,
            f"capturing the working tree over {base or 'no commit'}: tracked and untracked files that are not ignored",
        )
    )
    snapshot = capture(workspace.repository, base, workspace.cache_folder)
    workspace.listener(
        Step(
            environment.name,
            f"snapshot {'created' if snapshot.created else 'reused'}: {snapshot.commit} with {snapshot.files} files "
            f"in {snapshot.seconds:.1f} s, kept at {snapshot.ref}, and in the history of "
            f"{environment.state.observed_ref} when the run records state",
        )
    )
    return snapshot
