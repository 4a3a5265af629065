"""Fixtures of the tests of nyl.git."""

from pathlib import Path

import pytest

from tests.git.building import Scene


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)
