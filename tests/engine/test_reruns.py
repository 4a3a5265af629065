"""What a repeated run does where the commit that was recorded last is older, elsewhere, or nowhere."""

from nyl.core.codes import Code
from nyl.engine.remotes import SourceRemote
from nyl.engine.reruns import Rerun
from nyl.engine.source import Source
from nyl.state.documents import EnvironmentRecord
from tests.engine.builders import codes, environment
from tests.engine.projects import refusal, workspace
from tests.support.world import World


def test_only_a_commit_before_the_recorded_one_is_refused(world: World) -> None:
    first, second = world.commit("First"), world.commit("Second")
    world.git("checkout", "-q", "-b", "side", first)
    side = world.commit("Side", branch="side")
    world.git("checkout", "-q", "main")
    world.commit("Newest")
    shallow = world.clone("shallow", "--depth=1")
    world.git("fetch", "-q", "--depth=1", "origin", second, cwd=shallow)
    world.git("checkout", "-q", "--detach", second, cwd=shallow)
    remote = SourceRemote(workspace(world, shallow))

    def warned(commit: str, recorded: str) -> list[str]:
        record = EnvironmentRecord("dev", recorded, (), {})
        return codes(Rerun(remote, environment(), Source(commit)).check(record))

    assert warned(second, "1" * 40) == ["NYL-SOURCE-MISSING"]
    assert warned(second, first) == []
    assert warned(second, side) == []
    assert f"older than {second}" in refusal(lambda: warned(first, second), Code.SOURCE_SUPERSEDED)
