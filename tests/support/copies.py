"""Worlds that many tests begin with: each is built once for a test process, and copied for every test.

What builds a world must not say in it where it is, so that a copy is as good as what it was made from. The remote's URL
is a relative path for that, as nyl remembers what it saw of a remote by the URL.
"""

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tests.support.repositories import kept
from tests.support.world import World

Build = Callable[[World], World]
"""Makes something of a project with a remote and nothing in it yet."""


def copied(folder: Path, build: Build) -> World:
    """The world that a function builds, in an empty folder."""
    shutil.copytree(_built(build), folder, symlinks=True, dirs_exist_ok=True)
    world = World(folder)
    world.git("update-index", "-q", "--refresh", check=False)  # the files are others than those that Git looked at
    return world


@cache
def _built(build: Build) -> Path:
    folder = kept(f"{build.__module__}.{build.__qualname__}")
    folder.mkdir()
    return build(World(folder, url="../origin.git")).tmp
