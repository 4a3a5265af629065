"""Who authors the commits of an invocation."""

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.commit_identity import commit_identity
from nyl.git.config import Identity
from tests.engine.projects import workspace
from tests.support.world import World

BOB = Identity("Bob Builder", "bob@example.com")


def test_the_author_option_names_who_writes(world: World) -> None:
    assert commit_identity(workspace(world), BOB) == BOB


def test_without_the_option_gits_identity_counts(world: World) -> None:
    world.git("config", "user.name", "Repo User")
    assert commit_identity(workspace(world), None) == Identity("Repo User", "alice@example.com")


def test_without_any_identity_nobody_is_guessed(world: World) -> None:
    world.environ["GIT_CONFIG_GLOBAL"] = "/dev/null"
    with pytest.raises(NylError) as caught:
        commit_identity(workspace(world), None)
    assert caught.value.diagnostic.code is Code.COMMIT_IDENTITY_MISSING
