"""Fixtures of the engine's tests."""

from pathlib import Path

import pytest

from tests.support.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A project with a remote and nothing in it yet."""
    return World(tmp_path)


@pytest.fixture
def alone(tmp_path: Path) -> World:
    """A project without a remote."""
    return World(tmp_path, remote=False)
