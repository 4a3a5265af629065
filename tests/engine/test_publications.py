import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.publications import open_publication
from nyl.kubernetes.resources import Publication
from nyl.project.resources import RepositoryLocation
from tests.engine.projects import workspace
from tests.support.world import World


@pytest.mark.parametrize("branch", ["dev-state", "nyl/dev/observed", "refs/heads/nyl/other/desired"])
def test_a_branch_that_holds_state_is_no_place_for_a_tree(world: World, branch: str) -> None:
    world.environment("dev", state={"desiredRef": "dev-state"}).commit()
    for repository in (None, RepositoryLocation(str(world.origin))):
        with pytest.raises(NylError) as caught:
            open_publication(workspace(world), Publication(repository, branch, "prod"), offline=False)
        assert caught.value.diagnostic.code is Code.URL_REFUSED
        assert branch in caught.value.diagnostic.message


def test_a_branch_of_another_repository_may_have_the_name_of_a_state_ref(world: World) -> None:
    world.environment("dev", state={"desiredRef": "dev-state"}).commit()
    other = world.tmp / "other.git"
    world.git("init", "-q", "--bare", other)
    place = Publication(RepositoryLocation(str(other)), "dev-state", "prod")
    assert open_publication(workspace(world), place, offline=False).commit is None
