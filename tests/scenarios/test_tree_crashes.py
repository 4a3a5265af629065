"""Commands on trees that are killed, or that race: what comes after them finds nothing lost and nothing half done."""

import hashlib
import json
from pathlib import Path

import pytest

from tests.support.copies import copied
from tests.support.forks import KILLED, Delays, Faults, Forks
from tests.support.processes import Invocation
from tests.support.publication_worlds import PublicationWorld, published
from tests.support.tree_worlds import SETTINGS, TreeWorld
from tests.support.warm import warm_forks

STATE = "state/i.json"
OTHER = "registry.example.com/web@sha256:aaaa"


@pytest.fixture(scope="module")
def forks() -> Forks:
    return warm_forks()


@pytest.fixture
def world(tmp_path: Path) -> TreeWorld:
    world = TreeWorld(tmp_path)
    world.commit()
    return world


def killed(world: TreeWorld, forks: Forks, point: str, *arguments: str | Path) -> Invocation:
    """A call that is killed at a fault point."""
    call = forks.start(arguments, cwd=world.project, environ=world.environ, faults=Faults(die_at=f"{point} #1"))
    result = forks.wait(call)
    assert result.code == KILLED, result
    return result


def check_branch(world: TreeWorld) -> None:
    """Every file that the index names is as it says, in every commit."""
    for commit in world.git("rev-list", "deploy", cwd=world.origin).split():
        index = json.loads(world.git("show", f"{commit}:prod/_nyl/index.json", cwd=world.origin))
        for path, digest in index["files"].items():
            content = world.git("show", f"{commit}:prod/{path}", cwd=world.origin) + "\n"
            assert hashlib.sha256(content.encode()).hexdigest() == digest


@pytest.mark.parametrize("point", ["after publication commit", "after publication push"])
def test_a_killed_publication_is_made_or_not_and_the_next_one_goes_on(
    world: TreeWorld, forks: Forks, point: str
) -> None:
    world.nyl("publish-tree")
    before = world.head()
    world.data("two").commit()
    killed(world, forks, point, "publish-tree")
    assert (world.head() == before) == (point == "after publication commit")
    world.nyl("publish-tree")
    assert "region: two" in world.published()
    assert world.git("rev-parse", "deploy~1", cwd=world.origin) == before
    check_branch(world)


@pytest.mark.parametrize(
    "point",
    [
        "after journal of the tree",
        "after removals of the tree",
        "after a file of the tree",
        "after index of the tree",
    ],
)
def test_a_killed_writer_leaves_what_the_next_one_finishes(world: TreeWorld, forks: Forks, point: str) -> None:
    write = ("render-tree", "--output-dir", world.out)
    world.nyl(*write)
    world.data("two")
    killed(world, forks, point, *write)
    world.data("three")
    world.nyl(*write)
    assert "region: three" in (world.out / "prod" / SETTINGS).read_text()
    world.nyl(*write, "--check")
    assert sorted(each.name for each in (world.out / "prod/_nyl").iterdir()) == ["catalog", "index.json"]


def test_publishers_that_race_publish_one_after_the_other_or_not_at_all(world: TreeWorld, forks: Forks) -> None:
    clones = [world.clone(name) for name in ("one", "two", "three")]
    for number, clone in enumerate(clones):
        (clone / "extra.yaml").write_text(f"# {number}\n")
        text = (clone / "applications/platform/web.yaml").read_text()
        (clone / "applications/platform/web.yaml").write_text(text.replace("one", f"racer{number}"))
        world.git("add", "-A", cwd=clone)
        world.git("commit", "-q", "-m", "Race", cwd=clone)
    faults = [Faults(delays=Delays(f"tree/{number}", 0.2)) for number in range(len(clones))]
    calls = [
        forks.start(("publish-tree",), cwd=clone, environ=world.environ, faults=each)
        for clone, each in zip(clones, faults, strict=True)
    ]
    results = [forks.wait(call) for call in calls]
    won = [each for each in results if each.code == 0]
    assert won
    assert all("NYL-PUBLISH-OUTPACED" in each.stderr for each in results if each.code != 0)
    assert int(world.git("rev-list", "--count", "deploy", cwd=world.origin)) == len(won)
    check_branch(world)
    for clone in clones:
        world.nyl("publish-tree", cwd=clone)
    assert "region: racer2" in world.published()


def test_a_writer_of_state_and_a_publisher_never_mix(world: TreeWorld, forks: Forks) -> None:
    reading = f"{{platform/web: {{image: {{fromPublication: {{path: {STATE}, pointer: /web}}}}}}}}"
    world.with_image().bind(reading).commit()
    for number in range(4):
        world.by_hand({f"prod/{STATE}": f'{{"web": "v{number}"}}\n'})
        delays = Faults(delays=Delays(f"state/{number}", 0.3))
        call = forks.start(("publish-tree",), cwd=world.project, environ=world.environ, faults=delays)
        world.by_hand({f"prod/{STATE}": f'{{"web": "w{number}"}}\n'})
        result = forks.wait(call)
        assert result.code == 0 or "NYL-PUBLISH-OUTPACED" in result.stderr
    world.nyl("publish-tree")
    assert "region: w3" in world.published()
    for commit in world.git("log", "--format=%H", "--grep=^nyl:", "deploy", cwd=world.origin).split():
        state = json.loads(world.git("show", f"{commit}:prod/{STATE}", cwd=world.origin))
        assert f"region: {state['web']}" in world.git("show", f"{commit}:prod/{SETTINGS}", cwd=world.origin)


@pytest.mark.parametrize("point", ["after publication commit", "after publication push"])
def test_a_run_that_dies_while_it_publishes_is_finished_by_the_next(tmp_path: Path, forks: Forks, point: str) -> None:
    copied(tmp_path / "world", published)
    world = PublicationWorld(tmp_path / "world", laid=True)
    world.image(OTHER).commit()
    world.reconcile("--unit", "image")
    killed(world, forks, point, "reconcile", "-e", "dev")
    world.nyl("lease", "break", "-e", "dev", "--reason", "it was killed")
    world.reconcile()
    assert f"region: {OTHER}" in world.published()
    assert world.artifact()["commit"] == world.head()
    world.report("verify", "-e", "dev")
