"""Fixtures of the state tests."""

from pathlib import Path

import pytest

from tests.state.worlds import Runner, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def alice(world: World) -> Runner:
    """A runner on initialised state."""
    return world.initialised()


@pytest.fixture
def bob(world: World, alice: Runner) -> Runner:
    """A second runner with a clone of its own, on the same state."""
    return world.runner("bob")
