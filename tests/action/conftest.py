"""A project in the workspace of a runner."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.actions_events import Event
from tests.support.actions_runner import ActionsRunner
from tests.support.environment import QUIET_GIT, clean_environment
from tests.support.world import World

NOBODY = QUIET_GIT.read_text() + '[advice]\n\tdetachedHead = false\n[protocol "file"]\n\tallow = always\n'
"""The Git configuration of a fresh runner: it knows no author."""

Runners = Callable[..., ActionsRunner]


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A project with a remote and nothing in it yet."""
    return World(tmp_path)


@pytest.fixture
def runner(world: World) -> Runners:
    """Makes the runner of a job whose workspace is the project, or another checkout of it."""

    def make(
        event: Event,
        workspace: Path | None = None,
        *,
        api: str | None = None,
        machine: Mapping[str, str] | None = None,
        **options: Any,
    ) -> ActionsRunner:
        environ = clean_environment(world.tmp / "runner-home", NOBODY) | dict(machine or {})
        variables = {"GITHUB_API_URL": api} if api else {}
        return ActionsRunner(world.tmp, workspace or world.root, environ, event, variables=variables, **options)

    return make
