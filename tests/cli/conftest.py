"""Worlds for the tests of commands. One reconciled world serves every test that only reads."""

from pathlib import Path

import pytest

from tests.support.declarations import from_unit
from tests.support.world import World


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> World:
    """`dev` with `database` and `migrate`, reconciled; for tests that change nothing."""
    world = World(tmp_path_factory.mktemp("known")).environment(
        "dev", labels={"stage": "dev"}, values={"size": "small"}
    )
    world.unit("database", writes={"host": "db-$1", "port": 5432}, arguments=["{{ values.size }}"])
    world.unit("migrate", values={"host": from_unit("database", "host")}, dependsOn=["database"])
    world.initialise()
    world.nyl("reconcile", "-e", "dev")
    return world


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A project with a remote and nothing in it yet."""
    return World(tmp_path)
