import pytest

from nyl.core.codes import Code
from nyl.engine.requests import Selection, ValidateRequest
from nyl.engine.state_branches import StateBranches
from nyl.engine.validate import validate
from nyl.project.resources import RepositoryLocation, StateLocation
from nyl.state.refs import StateRefs
from tests.engine.projects import planned, workspace
from tests.support.publication_worlds import PublicationWorld
from tests.support.world import World

OWN = "https://git.example.com/team/shop.git"
STATES = RepositoryLocation("https://git.example.com/team/states", "ssh://git@git.example.com/team/pushed")


def refused(state: RepositoryLocation | None, repository: RepositoryLocation | None) -> bool:
    refs = StateRefs("dev", StateLocation(state, "refs/heads/dev-state", "refs/heads/dev-state"))
    return StateBranches((refs,), OWN).refusal(repository, "dev-state") is not None


@pytest.mark.parametrize(
    "url",
    [
        "https://git.example.com/team/shop",
        "https://git.example.com/team/shop.git/",
        "ssh://git@git.example.com:22/team/shop.git",
        "git@git.example.com:team/shop",
    ],
)
def test_the_project_itself_is_known_by_every_spelling_of_its_url(url: str) -> None:
    assert refused(None, RepositoryLocation(url))
    assert refused(RepositoryLocation(url), None)


@pytest.mark.parametrize(
    ("repository", "is_refused"),
    [
        (RepositoryLocation("git@git.example.com:team/states.git"), True),
        (RepositoryLocation("https://git.example.com/team/pushed/"), True),
        (RepositoryLocation("https://elsewhere.example.com/team", "git@git.example.com:team/pushed"), True),
        (RepositoryLocation("https://git.example.com/team/other"), False),
        (None, False),
    ],
)
def test_a_repository_of_state_is_known_by_where_it_is_read_and_pushed_to(
    repository: RepositoryLocation | None, is_refused: bool
) -> None:
    assert refused(STATES, repository) is is_refused


def test_a_relative_url_of_the_project_is_compared_as_the_place_that_it_means(world: World) -> None:
    world.environment("dev").git("remote", "set-url", "origin", "../origin.git")
    where = workspace(world)
    branches = StateBranches.of(where.worktree.environments.values(), where.repository)
    state = branches.environments[0].state[0].removeprefix("refs/heads/")
    assert "a state ref of dev" in str(branches.refusal(RepositoryLocation(str(world.origin)), state))


@pytest.mark.parametrize(
    ("branch", "is_refused"),
    [
        ("nyl", True),
        ("nyl/dev", True),
        ("nyl/dev/desired/x", True),
        ("nyl-run", True),
        ("nyl-run/dev", True),
        ("nyl/dev/tree", False),
        ("nyl-run/tree", False),
        ("ny", False),
    ],
)
def test_a_branch_that_leaves_state_no_room_is_refused(branch: str, is_refused: bool) -> None:
    desired, observed = "refs/heads/nyl/dev/desired", "refs/heads/nyl/dev/observed"
    place = StateLocation(None, desired, observed, coordination_prefix="refs/heads/nyl-run")
    branches = StateBranches((StateRefs("dev", place),), OWN)
    assert (branches.refusal(None, branch) is not None) is is_refused
    assert branches.refusal(STATES, branch) is None


@pytest.fixture
def on_state(world: World) -> PublicationWorld:
    """A target on the state branch of an environment, whose repository is spelled another way."""
    found = PublicationWorld(world.tmp)
    target = (found.project / "target.yaml").read_text()
    place = f"{{repository: {{repoURL: 'file://{found.origin}/'}}, revision: nyl-state}}"
    found.write("target.yaml", target.replace("{revision: deploy}", place))
    found.environment("dev", state={"desiredRef": "nyl-state", "observedRef": "nyl-state"}).commit()
    return found


def test_validate_finds_a_target_on_a_branch_of_state_without_the_network(on_state: PublicationWorld) -> None:
    on_state.origin.rename(on_state.tmp / "away.git")
    (found,) = validate(workspace(on_state), ValidateRequest(Selection())).all_diagnostics
    assert found.code is Code.URL_REFUSED
    assert str(found.location) == "target.yaml:1"
    assert found.message.startswith("target.yaml:1: publication.revision: The branch nyl-state of a publication is a ")


def test_a_run_ends_before_it_reads_state_where_a_unit_publishes_to_a_branch_of_state(
    on_state: PublicationWorld,
) -> None:
    (found,) = planned(on_state).all_diagnostics
    assert (found.code, found.unit, str(found.location)) == (Code.URL_REFUSED, "kubernetes", "target.yaml:1")
