"""Settings and fixtures of the engine's tests.

Property tests try few enough cases for a busy machine, and the same ones every time.
"""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.world import World

settings.register_profile(
    "engine",
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("engine")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A project with a remote and nothing in it yet."""
    return World(tmp_path)


@pytest.fixture
def alone(tmp_path: Path) -> World:
    """A project without a remote."""
    return World(tmp_path, remote=False)
