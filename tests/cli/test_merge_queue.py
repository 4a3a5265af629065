import json
from pathlib import Path

from tests.github.events import variables
from tests.support.world import World

_QUEUED = "gh-readonly-queue/main/pr-7-0123456789abcdef0123456789abcdef01234567"


def queued(world: World) -> World:
    """The run of a merge queue, on the commit that it tries."""
    world.git("switch", "-q", "-c", _QUEUED)
    head = world.commit("Queue", branch=_QUEUED)
    event = world.tmp / "event.json"
    event.write_text(json.dumps({"merge_group": {"head_sha": head, "base_ref": "refs/heads/main"}}))
    ref = f"refs/heads/{_QUEUED}"
    world.environ |= variables("merge_group", GITHUB_EVENT_PATH=str(event), GITHUB_SHA=head, GITHUB_REF=ref)
    return world


def test_a_merge_queues_run_plans_what_is_queued_and_reconciles_nothing_by_default(tmp_path: Path) -> None:
    world = World(tmp_path).environment().unit("database").initialise()
    refs = queued(world).state_refs()
    assert world.reconcile(exits=1).codes == {"NYL-SOURCE-UNREACHABLE"}
    assert world.plan().verdicts() == {"database": "execute"}
    assert (world.ran(), world.state_refs()) == ([], refs)
