"""Spec of finding the state of an environment that the project may not declare."""

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.recorded_places import recorded_store
from tests.engine.projects import workspace
from tests.support.world import World


def test_a_mistyped_environment_is_told_as_such_though_the_remote_does_not_answer(world: World) -> None:
    world.environment("dev").git("remote", "set-url", "origin", str(world.tmp / "gone.git"))
    with pytest.raises(NylError) as caught:
        recorded_store(workspace(world), "dve")
    found = caught.value.diagnostic
    assert found.code is Code.ENVIRONMENT_UNKNOWN
    assert "dev" in found.fix
    assert "gone.git cannot be used" in found.message
