"""Where a project is found."""

import pytest

from nyl.core.codes import Code
from tests.engine.projects import refusal, workspace
from tests.support.world import World


@pytest.mark.parametrize("start", ["", "units", "units/deep"])
def test_a_project_is_found_from_the_working_directory_upward(world: World, start: str) -> None:
    (world.project / "units/deep").mkdir(parents=True)
    assert workspace(world, world.project / start).folder == world.project


def test_the_nearest_of_several_projects_counts(world: World) -> None:
    world.write("shop/nyl.toml", "")
    assert workspace(world, world.project / "shop").project_folder == "shop"


def test_no_project_above_the_repository_counts(world: World) -> None:
    (world.tmp / "nyl.toml").write_text("")
    world.remove("nyl.toml")
    assert "nyl.toml" in refusal(lambda: workspace(world), Code.PROJECT_MISSING)
