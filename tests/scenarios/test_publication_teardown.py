"""Page Deletion and holds, Publication teardown waits: whole runs over a real branch."""

from pathlib import Path

import pytest

from tests.support.copies import copied
from tests.support.processes import Invocation
from tests.support.publication_worlds import PublicationWorld
from tests.support.tree_worlds import SETTINGS
from tests.support.world import World

CATALOG = "_nyl/catalog/application.argoproj.io/argocd"
WEB = f"{CATALOG}/platform-web.yaml"
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
def estate(tmp_path: Path) -> PublicationWorld:
    """The estate, with all units gone from source."""
    copied(tmp_path / "world", _estate)
    world = PublicationWorld(tmp_path / "world")
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
    head = estate.head()
    again = estate.reconcile(exits=2)
    assert (results(again)["kubernetes"], estate.head()) == ("tearing-down", head)
    status = estate.report("status", "-e", "dev", exits=2).unit("kubernetes")
    assert status["state"] == "tearing-down"
    assert "waits since " in status["detail"]
    done = torn(estate, "--unit", "kubernetes", "--confirm-removed")
    assert results(done) == {"kubernetes": "removed"}
    assert 'confirmedRemoval: {"kubernetes":"confirmed by ' in estate.message()
    assert files(estate) == {"README.md", "prod/notes.txt"}
    assert results(estate.reconcile("--allow-teardown")) == {"image": "removed"}
    estate.nyl("state", "check", "-e", "dev")
