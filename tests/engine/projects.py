"""Real repositories for the engine: a project of `tests.support.world`, opened as nyl opens it, without a process."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.administration import initialize_state
from nyl.engine.content import Content
from nyl.engine.events import Event
from nyl.engine.inputs import InputReader, UnitContents, UnitInputs
from nyl.engine.plan import plan
from nyl.engine.preflight import CheckedUnit
from nyl.engine.reconcile import reconcile
from nyl.engine.requests import PlanRequest, Proposal, ReconcileRequest, Selection, SourceChoice
from nyl.engine.results import Report
from nyl.engine.source import Source
from nyl.engine.unit_sources import UnitSources
from nyl.engine.workspace import Workspace
from nyl.project.resources import Environment, GitRepository, RepositoryLocation
from nyl.units.command import CommandDriver
from nyl.units.inputs import InputFiles, Inputs, SourceField
from tests.engine.builders import check, environment, unit
from tests.git.building import PatientClock
from tests.support.world import World


def workspace(world: World, folder: Path | None = None, events: list[Event] | None = None) -> Workspace:
    """The project, or another clone of it, as one invocation sees it."""

    def hear(event: Event) -> None:
        if events is not None:
            events.append(event)

    return Workspace.open(folder or world.project, world.environ, PatientClock(), hear)


class Reading(CommandDriver):
    """A kind that reads what a test says."""

    def __init__(self, *sources: SourceField, files: Sequence[InputFiles] = (), private: bool = False, **more: Any):
        self.reads = Inputs(tuple(sources), tuple(files), private=private, **more)

    def inputs(self, spec: Any) -> Inputs:
        return self.reads


def reading(*sources: SourceField, files: Sequence[InputFiles] = (), private: bool = False, **more: Any) -> CheckedUnit:
    """A unit `app` that reads some sources and files."""
    plain = check(unit("app"))["app"]
    return replace(plain, driver=Reading(*sources, files=files, private=private, **more))


def everywhere(pointer: str = "") -> InputFiles:
    """All files of a source."""
    return InputFiles(("/",), pointer)


def library(world: World, **files: str) -> str:
    """Another repository beside the project, with one commit of some files; its URL."""
    folder = world.tmp / "library"
    folder.mkdir()
    world.git("init", "-q", "-b", "main", cwd=folder)
    publish(world, **files)
    return f"file://{folder}"


def publish(world: World, **files: str) -> str:
    """Commits files to the library; the commit."""
    folder = world.tmp / "library"
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text)
    world.git("add", "-A", cwd=folder)
    world.git("commit", "-q", "--allow-empty", "-m", "Publish", cwd=folder)
    return world.git("rev-parse", "HEAD", cwd=folder)


def unit_sources(
    where: Workspace, commit: str, declared: Environment | None = None, **repositories: str
) -> UnitSources:
    """The sources of dev's units at S, with some GitRepositories by their URLs."""
    known = {
        name: GitRepository(name, RepositoryLocation(url), environment().location) for name, url in repositories.items()
    }
    return UnitSources(where, declared or environment(), Source(commit), known)


def read_inputs(
    where: Workspace, sources: UnitSources, *units: CheckedUnit
) -> tuple[list[UnitContents], list[UnitInputs]]:
    """What some units read."""
    contents = [sources.contents(each) for each in units]
    readers: dict[object, Any] = {where.repository: where.objects}
    readers |= {each.repository: each.objects for each in sources.remotes.values()}
    inputs = InputReader(where.cache, readers).read(contents)
    return contents, [inputs[each.name] for each in units]


def names(content: Content) -> list[str]:
    """The files of a content."""
    return list(content.entries)


def refusal(act: Callable[[], object], code: Code) -> str:
    """The message of the error of a code that something raises."""
    with pytest.raises(NylError) as caught:
        act()
    assert {each.code for each in caught.value.diagnostics} == {code}, caught.value
    assert all(each.fix for each in caught.value.diagnostics)
    return "\n".join(each.message for each in caught.value.diagnostics)


def initialised(world: World, *environments: str) -> World:
    """Commits what is there and initialises the state of some environments, `dev` by default."""
    world.commit()
    for name in environments or ("dev",):
        initialize_state(workspace(world), name, None)
    return world


def reconciled(world: World, *environments: str, **request: Any) -> Report:
    """A whole run of some environments, `dev` by default."""
    where = workspace(world)
    wanted = ReconcileRequest(Selection(environments or ("dev",)), **request)
    return reconcile(where, wanted)


def planned(world: World, *environments: str, proposal: Proposal | None = None, **request: Any) -> Report:
    """A plan of some environments, `dev` by default."""
    source = SourceChoice(proposal=proposal)
    return plan(workspace(world), PlanRequest(Selection(environments or ("dev",)), source=source, **request))


def verdicts(report: Report) -> dict[str, str]:
    """`environment/unit` -> its result, action or state."""
    return {
        f"{section.environment}/{each.unit}": str(each.verdict)
        for section in report.environments
        for each in section.units
    }


def details_of(report: Report) -> dict[str, str]:
    """`environment/unit` -> what is said beside its verdict."""
    return {
        f"{section.environment}/{each.unit}": each.detail or each.reason
        for section in report.environments
        for each in section.units
    }
