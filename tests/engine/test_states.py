"""Who writes state: the runner's name, and the author of state commits."""

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.states import commit_identity, runner_name
from nyl.state.changes import CommitIdentity
from tests.engine.projects import workspace
from tests.support.world import World

CI = {
    "GITHUB_ACTIONS": "true",
    "GITHUB_SERVER_URL": "https://github.example",
    "GITHUB_REPOSITORY": "acme/site",
    "GITHUB_RUN_ID": "77",
    "GITHUB_RUN_ATTEMPT": "3",
    "USER": "runner",
}


def test_a_ci_run_is_named_by_its_url_with_its_attempt() -> None:
    assert runner_name(CI) == "https://github.example/acme/site/actions/runs/77/attempts/3"


@pytest.mark.parametrize(
    ("environ", "user"),
    [
        ({"USER": "alice", "LOGNAME": "bob"}, "alice"),
        ({"LOGNAME": "bob"}, "bob"),
        ({}, "unknown"),
        ({"GITHUB_RUN_ID": "77", "USER": "alice"}, "alice"),
        ({"GITHUB_ACTIONS": "true", "USER": "alice"}, "alice"),
    ],
)
def test_anybody_else_is_user_and_host(environ: dict[str, str], user: str) -> None:
    assert runner_name(environ).startswith(f"{user}@")
    assert not runner_name(environ).endswith("@")


@pytest.mark.parametrize(
    ("author", "identity"),
    [
        ("Alice Example <alice@example.com>", CommitIdentity("Alice Example", "alice@example.com")),
        ("  Ann  <a@b>  ", CommitIdentity("Ann", "a@b")),
        ("Bürö, Inc. (ops) <ops@example.com>", CommitIdentity("Bürö, Inc. (ops)", "ops@example.com")),
    ],
)
def test_the_author_option_names_who_writes(world: World, author: str, identity: CommitIdentity) -> None:
    assert commit_identity(workspace(world), author) == identity


@pytest.mark.parametrize(
    "author", ["Alice", "alice@example.com", "<a@b>", "Alice <>", "Alice <a b>", "A\nB <a@b>", "A <a@b> <c@d>", ""]
)
def test_an_author_without_name_and_address_is_refused(world: World, author: str) -> None:
    with pytest.raises(NylError) as caught:
        commit_identity(workspace(world), author)
    assert caught.value.diagnostic.code is Code.USAGE


def test_without_the_option_gits_identity_counts(world: World) -> None:
    world.git("config", "user.name", "Repo User")
    assert commit_identity(workspace(world), None) == CommitIdentity("Repo User", "alice@example.com")


def test_without_any_identity_nobody_is_guessed(world: World) -> None:
    world.environ["GIT_CONFIG_GLOBAL"] = "/dev/null"
    with pytest.raises(NylError) as caught:
        commit_identity(workspace(world), None)
    assert caught.value.diagnostic.code is Code.COMMIT_IDENTITY_MISSING
