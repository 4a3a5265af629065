"""Projects at their commits, as the units of one wave see them."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier

from nyl.engine.source_projects import SourceProjects
from tests.engine.projects import workspace
from tests.support.world import World


def test_units_that_render_one_commit_at_once_share_a_session(world: World) -> None:
    commit = world.environment().commit()
    together = Barrier(4)
    with closing(SourceProjects(workspace(world))) as projects, ThreadPoolExecutor(4) as pool:

        def opened(_: int) -> int:
            together.wait()
            return id(projects.at(commit).open_session())

        assert len(set(pool.map(opened, range(4)))) == 1
