"""Page Deletion and holds, Publication teardown waits: whole runs over a real branch."""

from pathlib import Path

import pytest

from tests.support.argo_api import CONTEXT, argo_cluster
from tests.support.copies import copied
from tests.support.forks import KILLED, Faults, Forks
from tests.support.kubernetes_project import CLUSTER, GROUP
from tests.support.kubernetes_tools import kubectl, tool_path
from tests.support.processes import Invocation
from tests.support.publication_worlds import PublicationWorld
from tests.support.tree_worlds import SETTINGS
from tests.support.warm import run_warm
from tests.support.world import World

CATALOG = "_nyl/catalog/application.argoproj.io/argocd"
WEB = f"{CATALOG}/web.yaml"
OWN = f"{CATALOG}/prod-catalog.yaml"
INDEX = "_nyl/index.json"


def results(invocation: Invocation) -> dict[str, str]:
    return {name: each["result"] for name, each in invocation.environment()["units"].items()}


def files(world: World) -> set[str]:
    """The files of the branch."""
    return set(world.git("ls-tree", "-r", "--name-only", "deploy", cwd=world.origin).splitlines())


def torn(world: World, *arguments: str, exits: int = 0) -> Invocation:
    return world.report("teardown", "-e", "dev", *arguments, exits=exits)


def removable(world: World, name: str) -> None:
    path = world.project / f"units/{name}.yaml"
    world.write(f"units/{name}.yaml", path.read_text() + f"  teardown: [./scripts/{name}.sh, remove]\n")


def killed(world: World, point: str, *arguments: str) -> None:
    """A run that dies at a fault point; its lease is broken then."""
    call = ("reconcile", "-e", "dev", *arguments)
    run_warm(call, cwd=world.project, environ=world.environ, exits=(KILLED,), timeout=60, faults=Faults(die_at=point))
    world.nyl("lease", "break", "-e", "dev", "--reason", "killed")


def progress(world: World) -> object:
    return world.stored("observed/units/kubernetes.yaml").get("teardown", {}).get("progress")


def _estate(world: World) -> World:
    """`kubernetes` publishes `prod` with what `image` gives; `free` is on its own. All are reconciled."""
    estate = PublicationWorld(world.tmp)
    estate.unit("free")
    removable(estate, "free")
    removable(estate, "image")
    estate.initialise().reconcile()
    estate.by_hand({"README.md": "not ours\n", "prod/notes.txt": "not ours\n"})
    return world


@pytest.fixture
def declared(tmp_path: Path) -> PublicationWorld:
    """The estate as it was reconciled."""
    copied(tmp_path / "world", _estate)
    world = PublicationWorld(tmp_path / "world")
    removable(world, "image")
    return world


@pytest.fixture
def estate(declared: PublicationWorld) -> PublicationWorld:
    """The estate, with all units gone from source."""
    world = declared
    for name in ("image", "free", "kubernetes"):
        world.remove(f"units/{name}.yaml")
    world.commit("Remove")
    world.forget()
    return world


def test_a_publication_waits_between_its_phases_until_somebody_confirms_the_removal(estate: PublicationWorld) -> None:
    first = estate.reconcile("--allow-teardown", exits=2)
    assert results(first) == {"kubernetes": "tearing-down", "free": "removed", "image": "pending-teardown"}
    assert "NYL-TEARDOWN-WAITING" in first.codes
    assert files(estate) >= {f"prod/{OWN}", f"prod/{SETTINGS}", f"prod/{INDEX}"}
    assert f"prod/{WEB}" not in files(estate)
    before = estate.head(), estate.state_refs()
    again = estate.reconcile(exits=2)
    assert (results(again)["kubernetes"], estate.head(), estate.state_refs()) == ("tearing-down", *before)
    status = estate.report("status", "-e", "dev", exits=2).unit("kubernetes")
    assert status["state"] == "tearing-down"
    assert "waits since " in status["detail"]
    done = torn(estate, "--unit", "kubernetes", "--confirm-removed")
    assert results(done) == {"kubernetes": "removed"}
    assert 'confirmedRemoval: {"kubernetes":"confirmed by ' in estate.message()
    assert files(estate) == {"README.md", "prod/notes.txt"}
    assert results(estate.reconcile("--allow-teardown")) == {"image": "removed"}
    estate.nyl("state", "check", "-e", "dev")


def test_a_kill_after_the_first_phase_was_pushed_is_taken_up_where_it_was(estate: PublicationWorld) -> None:
    killed(estate, "after publication push #1", "--allow-teardown")
    assert f"prod/{WEB}" not in files(estate)
    head = estate.head()
    again = estate.reconcile("--allow-teardown", exits=2)
    assert (results(again)["kubernetes"], estate.head()) == ("tearing-down", head)
    assert progress(estate)["applications"] == ["argocd/web"]  # type: ignore[index]
    assert results(torn(estate, "--unit", "kubernetes", "--confirm-removed")) == {"kubernetes": "removed"}
    assert files(estate) == {"README.md", "prod/notes.txt"}
    estate.nyl("state", "check", "-e", "dev")


def test_a_kill_in_the_second_phase_is_taken_up_as_well_and_says_how_the_wait_ended(estate: PublicationWorld) -> None:
    forks = Forks(estate.tmp / "forks")
    estate.reconcile("--allow-teardown", exits=2)
    torn_down = ("teardown", "-e", "dev", "--unit", "kubernetes", "--confirm-removed")
    for point in ("after publication commit #1", "after publication push #1", "after work on kubernetes #1"):
        faults = Faults(die_at=point)
        call = forks.start(torn_down, cwd=estate.project, environ=estate.environ, faults=faults)
        assert forks.wait(call).code == KILLED, point
        estate.nyl("lease", "break", "-e", "dev", "--reason", "killed")
    forks.close()
    assert results(torn(estate, *torn_down[3:])) == {"kubernetes": "removed"}
    assert files(estate) == {"README.md", "prod/notes.txt"}
    estate.nyl("state", "check", "-e", "dev")


def test_a_kill_after_a_removal_was_checkpointed_leaves_a_run_that_can_be_taken_over(
    estate: PublicationWorld,
) -> None:
    killed(estate, "after work on image #1", "--allow-teardown", "--allow-incomplete")
    taken = estate.reconcile("--allow-teardown", exits=4)
    assert (results(taken)["kubernetes"], results(taken)["image"]) == ("removed", "uncertain")
    assert files(estate) == {"README.md", "prod/notes.txt"}
    estate.nyl("state", "check", "-e", "dev")


def test_a_hold_during_the_wait_pauses_it_before_the_second_phase(estate: PublicationWorld) -> None:
    estate.reconcile("--allow-teardown", exits=2)
    wait, head = progress(estate), estate.head()
    estate.nyl("hold", "-e", "dev", "--unit", "kubernetes", "--reason", "look first")
    assert results(torn(estate, "--unit", "kubernetes", "--confirm-removed")) == {"kubernetes": "held"}
    assert (progress(estate), estate.head()) == (wait, head)
    estate.nyl("resume", "-e", "dev", "--unit", "kubernetes")
    assert results(estate.reconcile("--allow-teardown"))["kubernetes"] == "removed"
    assert 'confirmedRemoval: {"kubernetes":"confirmed by ' in estate.message()


def test_a_unit_that_returns_during_the_wait_starts_anew_once_its_old_incarnation_is_gone(
    estate: PublicationWorld,
) -> None:
    before = estate.desired()["unit"]["uid"]
    estate.reconcile("--allow-teardown", exits=2)
    estate.image()
    removable(estate, "image")
    estate.publication().commit("Return")
    fenced = estate.reconcile(exits=2)
    assert results(fenced)["kubernetes"] == "tearing-down"
    assert estate.desired()["unit"]["uid"] == before
    refused = estate.nyl("state", "forget", "-e", "dev", "--unit", "kubernetes", exits=1)
    assert "NYL-STATE-IN-USE" in refused.stderr
    torn(estate, "--unit", "kubernetes", "--confirm-removed")
    assert results(estate.reconcile())["kubernetes"] == "executed"
    assert estate.desired()["unit"]["uid"] != before
    assert f"prod/{SETTINGS}" in files(estate)


def test_a_delay_is_over_by_itself(declared: PublicationWorld) -> None:
    declared.publication(teardownWait={"strategy": "delay", "duration": "2h"}).commit("Wait")
    assert results(declared.reconcile())["kubernetes"] == "current"
    declared.remove("units/kubernetes.yaml").commit("Remove")
    waits = declared.reconcile("--allow-teardown", exits=2)
    assert " until 20" in waits.environment()["units"]["kubernetes"]["detail"]
    forks = Forks(declared.tmp / "forks")
    call = ("reconcile", "-e", "dev")
    ended = forks.wait(forks.start(call, cwd=declared.project, environ=declared.environ, later=7300))
    forks.close()
    assert ended.code == 0, ended.stderr
    assert "the delay of 2h since " in declared.message()
    assert f"prod/{SETTINGS}" not in files(declared)


def test_settings_that_let_no_teardown_complete_keep_it_from_starting(declared: PublicationWorld) -> None:
    declared.write("group.yaml", GROUP.replace("{}", "{applicationDeletionPolicy: Orphan}")).commit("Orphan")
    declared.reconcile()
    assert "ApplicationGroup platform is Orphan" in declared.desired()["readiness"][0]
    declared.remove("units/kubernetes.yaml").commit("Remove")
    planned = declared.plan().unit("kubernetes")
    assert "needs --allow-teardown and --allow-incomplete, as applicationDeletionPolicy" in planned["detail"]
    assert "phase one: 1 Application" in planned["changes"]
    head = declared.head()
    refused = declared.reconcile("--allow-teardown", exits=2)
    assert (results(refused)["kubernetes"], declared.head()) == ("pending-teardown", head)
    assert "NYL-TEARDOWN-INCOMPLETE" in refused.codes
    assert results(torn(declared, "--unit", "kubernetes", exits=2)) == {"kubernetes": "pending-teardown"}
    done = declared.reconcile("--allow-teardown", "--allow-incomplete")
    assert results(done)["kubernetes"] == "removed"
    assert "NYL-TEARDOWN-INCOMPLETE" in done.codes
    assert 'incomplete: {"kubernetes":"applicationDeletionPolicy' in declared.message()


def test_an_environment_is_torn_down_whole_with_a_wait_on_its_way(declared: PublicationWorld) -> None:
    preview = declared.plan("--teardown", "--all", exits=0)
    assert preview.environment()["unitOrder"][-1] == "image"
    assert "phase one: 1 Application" in preview.unit("kubernetes")["changes"]
    first = torn(declared, "--all", exits=2)
    assert results(first) == {"free": "removed", "kubernetes": "tearing-down", "image": "pending-teardown"}
    last = torn(declared, "--all", "--confirm-removed")
    assert results(last) == {"free": "held", "kubernetes": "removed", "image": "removed"}
    assert files(declared) == {"README.md", "prod/notes.txt"}


def test_the_applications_are_observed_in_the_cluster_of_argo_cd(declared: PublicationWorld) -> None:
    declared.write("cluster.yaml", CLUSTER + f"  live: {{context: {CONTEXT}}}\n")
    declared.publication(teardownWait={"strategy": "observe"}, approval={"mode": "manual", "bind": "plan"})
    declared.commit("Observe")
    declared.reconcile("--approve", "kubernetes", exits=(0, 2))
    declared.environ["PATH"] = tool_path(kubectl()) + ":" + declared.environ["PATH"]
    with argo_cluster(Path(declared.environ["HOME"]) / ".kube/config") as cluster:
        cluster.bring([declared.published(WEB), declared.published(OWN)])
        unapproved = torn(declared, "--unit", "kubernetes", exits=2)
        assert results(unapproved) == {"kubernetes": "pending-teardown"}
        digest = declared.plan("--teardown", "--all").unit("kubernetes")["changeDigest"]
        waits = torn(declared, "--unit", "kubernetes", "--approve", f"kubernetes={digest}", exits=2)
        assert "for Argo CD to remove 1 Application (argocd/web)" in waits.unit("kubernetes")["detail"]
        cluster.delete("web")
        done = torn(declared, "--unit", "kubernetes")
    assert results(done) == {"kubernetes": "removed"}
    assert 'confirmedRemoval: {"kubernetes":"observed: 1 Application (argocd/web) is gone"}' in declared.message()


def test_another_source_tells_where_the_tree_is_when_the_recorded_one_is_gone(declared: PublicationWorld) -> None:
    declared.remove("target.yaml").remove("units/kubernetes.yaml").commit("Remove the target")
    assert results(torn(declared, "--unit", "kubernetes", exits=2)) == {"kubernetes": "tearing-down"}
    failed = torn(declared, "--unit", "kubernetes", "--source", "main", "--confirm-removed", exits=3)
    assert "NYL-TARGET-UNKNOWN" in failed.unit("kubernetes")["detail"]
    assert results(torn(declared, "--unit", "kubernetes", "--confirm-removed")) == {"kubernetes": "removed"}
