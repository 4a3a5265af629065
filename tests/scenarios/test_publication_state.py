"""State files on the publication branch: read, carried, kept and released by whole publications."""

from pathlib import Path

import pytest

from tests.support.kubernetes_project import GROUP
from tests.support.tree_worlds import SETTINGS, TreeWorld

READING = "{platform/web: {image: {fromPublication: {path: state/i.json, pointer: /web}}}}"
CARRYING = READING.replace("pointer", "carryFileFromWorktree: build/i.json, pointer")


@pytest.fixture
def world(tmp_path: Path) -> TreeWorld:
    return TreeWorld(tmp_path)


def test_state_is_read_at_the_head_that_a_publication_builds_on(world: TreeWorld) -> None:
    world.with_image().bind(READING).commit()
    world.nyl("publish-tree")
    assert "region: none" in world.published()
    written = world.by_hand({"prod/state/i.json": '{"web": "v1"}'})
    told = world.report("render-tree", "--output-dir", world.out).json["details"]
    assert told["publication"] == written
    world.nyl("publish-tree")
    assert "region: v1" in world.published()
    head = world.head()
    world.nyl("publish-tree")
    assert world.head() == head
    assert world.published("state/i.json") == '{"web": "v1"}'


def test_a_carry_file_is_rendered_published_and_kept(world: TreeWorld) -> None:
    world.write(".gitignore", ".nyl/\n").with_image().bind(CARRYING).commit()
    world.write("build/i.json", '{"web": "v1"}')
    world.nyl("publish-tree")
    assert "region: v1" in world.published()
    assert world.published("state/i.json") == '{"web": "v1"}'
    head = world.head()
    world.nyl("publish-tree")
    (world.root / "build/i.json").unlink()
    world.nyl("publish-tree")
    assert (world.head(), world.published("state/i.json")) == (head, '{"web": "v1"}')
    world.by_hand({"prod/state/i.json": '{"web": "theirs"}'})
    assert world.report("publish-tree", exits=1).codes == {"NYL-TREE-EDITED"}
    world.by_hand({"prod/state/i.json": None})
    assert world.report("publish-tree", exits=1).codes == {"NYL-TREE-EDITED"}


def test_other_untracked_files_beside_a_carry_file_are_no_clean_worktree(world: TreeWorld) -> None:
    world.with_image().bind(CARRYING).commit()
    world.write("build/i.json", '{"web": "v1"}').write("build/other", "x")
    refused = world.report("publish-tree", exits=1)
    assert refused.diagnostics[0]["message"] == "The working tree differs from HEAD in build/other."


def test_a_carried_file_becomes_state_that_is_read_and_then_goes_with_its_binding(world: TreeWorld) -> None:
    world.by_hand({"prod/state/i.json": '{"web": "v0"}'})
    world.with_image().bind(CARRYING).commit()
    world.write("build/i.json", '{"web": "v1"}')
    world.nyl("publish-tree")
    (world.root / "build/i.json").unlink()
    world.bind(READING).commit()
    world.nyl("publish-tree")
    assert '"state/i.json"' not in world.published("_nyl/index.json").partition('"inputs"')[0]
    world.by_hand({"prod/state/i.json": '{"web": "v2"}'})
    world.nyl("publish-tree")
    assert "region: v2" in world.published()


@pytest.mark.parametrize("enabled", ["true", "false"])
def test_a_carried_file_goes_with_its_binding_and_stays_with_a_disabled_group(world: TreeWorld, enabled: str) -> None:
    world.with_image().bind(CARRYING).commit()
    world.write("build/i.json", '{"web": "v1"}')
    world.nyl("publish-tree")
    (world.root / "build/i.json").unlink()
    if enabled == "true":
        world.bind("")
    else:
        world.write("group.yaml", (world.root / "group.yaml").read_text().replace("spec: {}", "spec: {enabled: false}"))
    world.commit()
    world.nyl("publish-tree")
    files = world.git("ls-tree", "-r", "--name-only", "deploy", cwd=world.origin).splitlines()
    assert ("prod/state/i.json" in files) == (enabled == "false")
    assert (f"prod/{SETTINGS}" in files) == (enabled == "true")
    if enabled == "false":
        world.write("group.yaml", GROUP).commit()
        world.nyl("publish-tree")
        assert "region: v1" in world.published()


def test_offline_state_is_that_of_the_cached_head(world: TreeWorld) -> None:
    world.with_image().bind(READING).commit()
    unknown = world.report("render-tree", "--output-dir", world.out, "--offline")
    assert unknown.codes == {"NYL-INPUT-UNKNOWN-STATE"}
    world.by_hand({"prod/state/i.json": '{"web": "v1"}'})
    world.nyl("render-tree", "--output-dir", world.out)
    world.by_hand({"prod/state/i.json": '{"web": "v2"}'})
    world.nyl("render-tree", "--output-dir", world.out, "--offline")
    assert "region: v1" in (world.out / "prod" / SETTINGS).read_text()
    world.nyl("render-tree", "--output-dir", world.out)
    assert "region: v2" in (world.out / "prod" / SETTINGS).read_text()
