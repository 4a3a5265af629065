"""Projects at their commits, as the units of one wave see them."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier

from nyl.engine.source_projects import SourceProjects
from nyl.kubernetes.resources import Publication
from nyl.project.resources import RepositoryLocation
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


def test_units_wait_for_each_other_where_one_names_the_projects_own_repository_by_its_path(world: World) -> None:
    commit = world.environment().commit()
    world.git("remote", "set-url", "origin", "../origin.git")
    with closing(SourceProjects(workspace(world))) as projects:
        exclusively = projects.at(commit).exclusively
        own = exclusively(Publication(None, "deploy", "one"))
        assert exclusively(Publication(RepositoryLocation(str(world.origin)), "deploy", "two")) is own
        assert exclusively(Publication(None, "other", "one")) is not own
