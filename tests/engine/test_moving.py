from nyl.core.codes import Code
from nyl.engine.moving import move_state
from nyl.engine.operations import Operation
from tests.engine.projects import initialised, refusal, workspace
from tests.support.world import World


def test_the_configured_place_is_not_one_to_move_from_however_its_url_is_written(world: World) -> None:
    initialised(world.environment("dev"))
    for url in (str(world.origin), f"file://{world.origin}/", f"{world.project}/../origin.git"):
        told = refusal(
            lambda url=url: move_state(workspace(world), Operation("state-move", "dev"), url), Code.STATE_MISSING
        )
        assert "holds no state of dev on refs other than its own" in told
