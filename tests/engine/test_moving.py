from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.engine.moving import move_state
from nyl.engine.operations import Operation
from nyl.engine.states import States
from tests.engine.projects import initialised, refusal, workspace
from tests.support.world import World


def refused(world: World, url: str, code: Code = Code.STATE_MISSING) -> str:
    """The message with which a move from a URL is refused; the state is as it was."""
    where = workspace(world)
    before = States(where).store(where.worktree.environments["dev"]).read().record
    told = refusal(lambda: move_state(workspace(world), Operation("state-move", "dev"), url), code)
    assert States(where).store(where.worktree.environments["dev"]).read().record == before
    return told


def test_the_configured_place_is_not_one_to_move_from_however_its_url_is_written(world: World) -> None:
    initialised(world.environment("dev"))
    for url in (str(world.origin), f"file://{world.origin}/", f"{world.project}/../origin.git"):
        assert "holds no state of dev on refs other than its own" in refused(world, url)
    world.git("remote", "set-url", "origin", "../origin.git")
    assert "holds no state of dev on refs other than its own" in refused(world, str(world.origin))


def test_a_project_without_a_remote_is_not_one_to_move_from_by_its_folder(tmp_path: Path) -> None:
    world = initialised(World(tmp_path, remote=False).environment("dev"))
    assert "holds no state of dev on refs other than its own" in refused(world, str(world.root))


@pytest.mark.parametrize("remote", [True, False], ids=["origin", "no remote"])
def test_a_state_is_not_moved_onto_itself_by_a_url_that_only_leads_to_its_place(tmp_path: Path, remote: bool) -> None:
    world = initialised(World(tmp_path, remote=remote).environment("dev"))
    link = tmp_path / "link"
    link.symlink_to(world.origin if remote else world.root)
    assert "is where it is to be moved already" in refused(world, str(link), Code.STATE_EXISTS)
