"""Units that publish the tree of a target: resolved, published, verified, and owned by their environment."""

import json
from pathlib import Path

import pytest

from tests.support.copies import copied
from tests.support.publication_worlds import IMAGE, INDEX, PublicationWorld, published
from tests.support.tree_worlds import SETTINGS

OTHER = "registry.example.com/web@sha256:aaaa"


@pytest.fixture
def world(tmp_path: Path) -> PublicationWorld:
    """A world whose publication was reconciled once."""
    copied(tmp_path / "world", published)
    return PublicationWorld(tmp_path / "world", laid=True)


def test_the_tree_has_what_other_units_give_and_says_who_owns_it(world: PublicationWorld) -> None:
    index, document = json.loads(world.published(INDEX)), world.desired()
    assert f"region: {IMAGE}\n" in world.published() + "\n"
    assert index["owner"] == {"environment": "dev", "uid": document["unit"]["uid"]}
    assert document["resolvedSpec"]["releases"] == {"platform/web": {"image": IMAGE}}
    assert document["provenance"]["/releases/platform~1web/image"]["unit"] == "image"
    tree = world.artifact()
    assert (tree["kind"], tree["branch"], tree["commit"]) == ("PublishedTree", "deploy", world.head())
    assert tree["indexDigest"].startswith("sha256:")


def test_nothing_is_done_again_until_something_that_the_tree_is_made_of_changes(world: PublicationWorld) -> None:
    head, state = world.head(), world.state_refs()
    world.write("README.md", "unrelated").commit()
    assert world.reconcile().verdicts() == {"image": "current", "kubernetes": "current"}
    assert (world.head(), world.state_refs()) == (head, state)

    world.image(OTHER).commit()
    assert world.reconcile().verdicts() == {"image": "executed", "kubernetes": "executed"}
    assert f"region: {OTHER}" in world.published()
    assert world.artifact()["commit"] == world.head() != head


def test_what_was_edited_by_hand_is_drift_that_the_next_reconcile_puts_right(world: PublicationWorld) -> None:
    world.by_hand({f"prod/{SETTINGS}": "edited\n", "README.md": "not ours\n"})
    found = world.report("verify", "-e", "dev", exits=3)
    assert SETTINGS in found.unit("kubernetes")["detail"]
    world.reconcile()
    assert f"region: {IMAGE}" in world.published()
    assert world.git("show", "refs/heads/deploy:README.md", cwd=world.origin) == "not ours"
    world.report("verify", "-e", "dev")


def test_a_branch_that_somebody_deleted_is_published_anew(world: PublicationWorld) -> None:
    world.git("update-ref", "-d", "refs/heads/deploy", cwd=world.origin)
    assert "is gone" in world.report("verify", "-e", "dev", exits=3).unit("kubernetes")["detail"]
    world.reconcile()
    assert f"region: {IMAGE}" in world.published()


def test_no_command_publishes_over_the_unit_that_owns_a_tree(world: PublicationWorld) -> None:
    world.bind("").commit()
    refused = world.nyl("publish-tree", exits=1)
    assert "NYL-TREE-OWNED" in refused.stderr
    assert "owned by unit dev/kubernetes" in refused.stderr


def test_a_snapshot_of_the_working_tree_cannot_be_published(world: PublicationWorld) -> None:
    world.environment("dev", allowUnprotectedSource=True).commit()
    refused = world.nyl("reconcile", "-e", "dev", "--worktree", exits=1)
    assert "NYL-WORKTREE-REFUSED" in refused.stderr
