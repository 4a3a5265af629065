"""Runs page, Multi-environment runs and Worktree inputs: what an invocation works at."""

import pytest

from nyl.core.codes import Code
from nyl.engine.events import Event, Step
from nyl.engine.invocation import Invocation, open_invocation
from nyl.engine.requests import Selection, SourceChoice
from tests.engine.projects import refusal, workspace
from tests.support.world import World

BOTH = Selection(names=("dev", "production"))


def opened(
    world: World, selection: Selection, choice: SourceChoice | None = None, events: list[Event] | None = None
) -> Invocation:
    return open_invocation(workspace(world, events=events), selection, choice or SourceChoice())


def test_each_environment_resolves_its_own_source(world: World) -> None:
    world.environment("dev").unit("a")
    world.environment("production", source={"revision": "stable"}, protectedRefs=["stable"])
    stable = world.commit(branch="stable")
    main = world.unit("b").commit()
    found = opened(world, BOTH).rendered
    assert {name: each.source.commit for name, each in found.items()} == {"dev": main, "production": stable}
    assert {name: sorted(each.rendering.units) for name, each in found.items()} == {
        "dev": ["a", "b"],
        "production": ["a"],
    }


def test_an_environment_whose_source_is_refused_does_not_hide_another(world: World) -> None:
    world.environment("dev").environment("production", protectedRefs=["nowhere"]).commit()
    found = opened(world, BOTH)
    assert (list(found.rendered), list(found.failures)) == (["dev"], ["production"])


@pytest.mark.parametrize(
    "selection", [BOTH, Selection(labels={"stage": "all"}), Selection(groups=("all",))], ids=["-e", "-l", "-g"]
)
def test_source_takes_exactly_one_environment_however_several_are_selected(world: World, selection: Selection) -> None:
    for name in ("dev", "production"):
        world.environment(name, {"stage": "all"})
    world.write(
        "group.yaml",
        "apiVersion: gitops.nyl/v1\nkind: EnvironmentGroup\nmetadata: {name: all}\n"
        "spec: {environmentSelector: {matchLabels: {stage: all}}}\n",
    ).commit()
    refusal(lambda: opened(world, selection, SourceChoice(override="main")), Code.USAGE)
    assert opened(world, Selection(("dev",)), SourceChoice(override="main")).order == ("dev",)


def test_capturing_a_worktree_tells_base_scope_snapshot_time_ref_and_history(alone: World) -> None:
    base = alone.environment(allowUnprotectedSource=True).commit()
    alone.write("new.txt", "x")
    told: list[str] = []
    for _ in range(2):
        events: list[Event] = []
        found = opened(alone, Selection(("dev",)), SourceChoice(worktree=True), events)
        told.extend(each.text for each in events if isinstance(each, Step))
    snapshot = found.rendered["dev"].source.commit
    before, created, _, reused = told
    assert base in before
    assert "tracked and untracked files that are not ignored" in before
    assert created.startswith(f"snapshot created: {snapshot} with 4 files in 0.")
    assert reused.startswith(f"snapshot reused: {snapshot} ")
    assert f"refs/nyl-worktrees/{snapshot}" in created
    assert "refs/heads/nyl/dev/observed" in created
