"""Units that publish the tree of a target: resolved, published, verified, and owned by their environment."""

import json
from pathlib import Path
from typing import Any

import pytest

from nyl.core.canonical import digest_bytes
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
    assert index["inputs"]["@input/platform/web/image"] == digest_bytes(f'"{IMAGE}"'.encode()).removeprefix("sha256:")
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
    assert "would refuse" not in world.plan().stderr
    world.reconcile()
    assert f"region: {IMAGE}" in world.published()
    assert world.git("show", "refs/heads/deploy:README.md", cwd=world.origin) == "not ours"
    world.report("verify", "-e", "dev")


def test_without_that_finding_only_a_forced_run_writes_over_what_was_edited(world: PublicationWorld) -> None:
    world.by_hand({f"prod/{SETTINGS}": "edited\n"})
    world.image(OTHER).commit()
    assert SETTINGS in world.reconcile(exits=3).unit("kubernetes")["detail"]
    plan = world.plan()
    assert f"! {SETTINGS} (changed)" in plan.unit("kubernetes")["changes"]
    assert "a run would refuse to publish. Files that nyl owns in prod" in plan.stderr
    assert world.published() == "edited"
    world.reconcile("--unit", "kubernetes", "--reapply", "--reason", "put back")
    assert f"region: {OTHER}" in world.published()


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


def test_a_snapshot_of_the_working_tree_cannot_be_published_whether_protected_or_not(world: PublicationWorld) -> None:
    for allowed in (False, True):
        world.environment("dev", allowUnprotectedSource=allowed).commit()
        refused = world.nyl("reconcile", "-e", "dev", "--worktree", exits=1)
        assert "NYL-WORKTREE-REFUSED" in refused.stderr
        assert "NYL-SOURCE-UNREACHABLE" not in refused.stderr


def test_a_publication_keeps_its_receipt_while_its_producer_is_not_current(world: PublicationWorld) -> None:
    receipt, head = world.receipt(), world.head()
    world.image(OTHER, script="exit 1").commit()
    report = world.reconcile(exits=3)
    assert report.verdicts() == {"image": "failed", "kubernetes": "blocked"}
    assert (world.receipt(), world.head()) == (receipt, head)


def test_a_change_is_planned_with_its_files_and_published_with_the_approval_of_its_digest(
    world: PublicationWorld,
) -> None:
    world.bind("{platform/web: {image: {value: planned}}}")
    world.publication(approval={"mode": "manual", "bind": "plan", "requireDigest": True}).commit()
    planned = world.plan().unit("kubernetes")
    assert f"  ~ {SETTINGS}\n" in planned["changes"]
    assert world.reconcile(exits=2).verdicts()["kubernetes"] == "awaiting-approval"
    assert f"region: {IMAGE}" in world.published()
    world.reconcile("--approve", f"kubernetes={planned['changeDigest']}")
    assert "region: planned" in world.published()


def test_status_renders_nothing(world: PublicationWorld) -> None:
    assert world.report("status", "-e", "dev").unit("kubernetes")["receipt"] == "current"
    world.data("two").commit()
    status = world.report("status", "-e", "dev", exits=(0, 2))
    assert status.unit("kubernetes")["state"] == "ready"
    assert "not evaluated" in status.unit("kubernetes")["detail"]
    assert "rendering" not in status.stderr


def test_two_projects_cannot_have_one_target_before_it_is_handed_over(world: PublicationWorld, tmp_path: Path) -> None:
    shared, two = tmp_path / "deploy.git", PublicationWorld(tmp_path / "two")
    world.git("init", "-q", "--bare", shared, cwd=tmp_path)
    for each in (world, two):
        each.git("remote", "set-url", "origin", str(each.origin))
        target = (each.project / "target.yaml").read_text()
        each.write("target.yaml", target.replace("{revision: deploy}", _at(shared)))
    world.commit()
    world.reconcile()
    two.initialise()
    refused = two.reconcile(exits=3).unit("kubernetes")["detail"]
    assert (
        f"its state is in refs/heads/nyl/dev/desired of {world.origin}, and not that of the Environment dev" in refused
    )

    owner = published_index(world, shared)["owner"]
    hand_over(world, shared, tmp_path / "clone")
    two.reconcile()
    assert published_index(world, shared)["owner"]["state"]["repository"] == str(two.origin) != owner["state"]
    drift = world.report("verify", "-e", "dev", exits=3).unit("kubernetes")["detail"]
    assert f"owned by a unit of dev (state in refs/heads/nyl/dev/desired of {two.origin})" in drift


def _at(repository: Path) -> str:
    return f"{{repository: {{repoURL: '{repository}'}}, revision: deploy}}"


def published_index(world: PublicationWorld, repository: Path) -> Any:
    return json.loads(world.git("show", f"refs/heads/deploy:prod/{INDEX}", cwd=repository))


def hand_over(world: PublicationWorld, repository: Path, clone: Path) -> None:
    """What the message of a refused owner says."""
    world.git("clone", "-q", "-b", "deploy", repository, clone, cwd=repository)
    index = published_index(world, repository)
    (clone / "prod" / INDEX).write_text(json.dumps({**index, "owner": None}))
    world.git("commit", "-q", "-a", "-m", "Hand over", cwd=clone)
    world.git("push", "-q", "origin", "deploy", cwd=clone)


def test_two_environments_cannot_have_one_target_before_the_first_lets_go_of_it(world: PublicationWorld) -> None:
    world.environment("live").reads({"environment": "dev", "unit": "image", "output": "reference"}).commit()
    world.nyl("state", "init", "-e", "live")
    refused = world.reconcile("-e", "live", exits=3)
    assert "owned by unit dev/kubernetes, which still exists" in refused.unit("kubernetes", "live")["detail"]
    assert refused.unit("image", "live")["result"] == "executed"

    def tried_again(exits: int) -> str:
        return str(world.reconcile("-e", "live", exits=exits).unit("kubernetes", "live")["result"])

    world.nyl("hold", "-e", "dev", "--unit", "kubernetes")
    assert tried_again(exits=3) == "failed"
    world.nyl("resume", "-e", "dev", "--unit", "kubernetes")

    world.environment("dev", unitSelector={"matchLabels": {"none": "of"}})
    world.reads({"unit": "image", "output": "reference"}).commit()
    assert world.reconcile(exits=2).unit("kubernetes")["result"] == "pending-teardown"
    assert tried_again(exits=3) == "failed"
    world.nyl("state", "forget", "-e", "dev", "--unit", "kubernetes")
    assert tried_again(exits=0) == "executed"
    assert json.loads(world.published(INDEX))["owner"]["environment"] == "live"
