"""Worlds for the scenarios."""

from pathlib import Path

import pytest

from tests.support.copies import copied
from tests.support.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A project with a remote and nothing in it yet."""
    return World(tmp_path)


@pytest.fixture
def pair(tmp_path: Path) -> World:
    """`dev` with `database` and `migrate`, its consumer; declared, committed, state initialised."""
    return copied(tmp_path, _initialised)


@pytest.fixture
def reconciled(tmp_path: Path) -> World:
    """The pair after its first run; nothing is noted as run."""
    return copied(tmp_path, _reconciled)


def _initialised(world: World) -> World:
    return world.pair().initialise()


def _reconciled(world: World) -> World:
    _initialised(world).reconcile()
    return world.forget()
