"""Worlds for the scenarios."""

from pathlib import Path

import pytest

from tests.support.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A project with a remote and nothing in it yet."""
    return World(tmp_path)


@pytest.fixture
def pair(world: World) -> World:
    """`dev` with `database` and `migrate`, its consumer; declared, committed, state initialised."""
    return world.pair().initialise()


@pytest.fixture
def reconciled(pair: World) -> World:
    """The pair after its first run; nothing is noted as run."""
    pair.reconcile()
    return pair.forget()
