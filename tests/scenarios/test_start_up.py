"""What commands that change nothing load: no library that they do not use."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.tree_worlds import TreeWorld
from tests.support.world import World

NOT_NEEDED = {"git", "gitdb", "github", "requests", "jsonschema", "jinja2", "rich", "markdown_it"}
_SCRIPT = "import sys; from nyl.cli.main import main; main(sys.argv[1:]); print('loaded:', *sys.modules)"


def loaded(world: World, *arguments: str) -> set[str]:
    """The packages that a command loads."""
    command = [sys.executable, "-c", _SCRIPT, *arguments]
    done = subprocess.run(command, cwd=world.project, env=world.environ, capture_output=True, text=True, check=True)
    return {each.partition(".")[0] for each in done.stdout.rpartition("loaded:")[2].split()}


@pytest.mark.parametrize("command", ["status", "plan", "reconcile"])
def test_a_command_without_changes_loads_no_library_that_it_does_not_use(reconciled: World, command: str) -> None:
    assert not NOT_NEEDED & loaded(reconciled, command, "-e", "dev")


def test_publishing_an_unchanged_tree_loads_no_library_that_it_does_not_use(tmp_path: Path) -> None:
    world = TreeWorld(tmp_path)
    world.commit()
    world.nyl("publish-tree")
    assert not NOT_NEEDED & loaded(world, "publish-tree")
