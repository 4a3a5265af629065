"""OciImage in whole runs: buildah and a real registry."""

import shutil
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support import declarations
from tests.support.deaths import kill
from tests.support.image_registry import ImageRegistry, buildah_environment, image_registry
from tests.support.registry_front import RegistryFront, registry_front
from tests.support.world import World

UNITS = "units.gitops.nyl/v1"
DOCKERFILE = """
FROM scratch
ARG API_URL
LABEL api=$API_URL
COPY --from=shared file /shared
COPY --from=lib lib/file /lib
"""


@pytest.fixture
def registry() -> ImageRegistry:
    return image_registry()


@pytest.fixture
def front(registry: ImageRegistry) -> Iterator[RegistryFront]:
    with registry_front(registry) as running:
        yield running


@pytest.fixture
def built(world: World, registry: ImageRegistry) -> World:
    """`dev` with buildah in a storage of its own, and a context."""
    world.environ |= buildah_environment()
    world.environment().write("web/Dockerfile", "FROM scratch\nCOPY . /\n")
    return world.write("web/main", "one").write("web/.dockerignore", "*.md\n").write("web/README.md", "about")


def image(world: World, registry: ImageRegistry, **spec: Any) -> World:
    """Declares the unit `web`."""
    fields = {
        "context": {"path": "web"},
        "repository": f"{registry.address}/{repository(world)}",
        "platforms": ["linux/amd64"],
        "builder": {"tool": "buildah"},
        "env": {"passthrough": sorted(buildah_environment())},
    }
    return world.write("units/web.yaml", declarations.resource(UNITS, "OciImage", "web", fields | spec))


def repository(world: World) -> str:
    """A repository of the test's own."""
    return f"{world.tmp.name.strip('_')}/web".lower()


def artifact(world: World, pointer: str = "/digest") -> str:
    """A value of the image that the current receipt names."""
    return world.nyl("get", "artifact", "web/image", "-e", "dev", "--pointer", pointer).stdout.strip()


def test_an_image_is_built_when_its_files_changed_or_it_is_gone_and_only_then(
    built: World, registry: ImageRegistry
) -> None:
    image(built, registry).initialise()
    assert built.reconcile().verdicts() == {"web": "executed"}
    first = artifact(built)
    image(built.write("web/README.md", "more").write("elsewhere", "x"), registry, moveTags=True).commit()
    assert built.reconcile().verdicts() == {"web": "current"}
    built.write("web/main", "two").commit()
    assert built.reconcile().verdicts() == {"web": "executed"}
    second = artifact(built)
    assert second != first
    registry.delete(repository(built), second)
    seen = built.report("verify", "-e", "dev", exits=3)
    assert "does not hold" in seen.diagnostics[0]["message"]
    again = built.reconcile()
    assert again.environment()["driftRepaired"] == ["web"]
    assert "does not hold" in again.unit("web")["reason"]
    assert artifact(built) == second == registry.digest(repository(built), second)
    built.remove("units/web.yaml").commit()
    left = built.reconcile()
    assert left.verdicts() == {"web": "released"}
    assert "NYL-UNIT-RELEASED" in left.codes
    assert registry.digest(repository(built), second) == second


def test_a_killed_push_to_a_private_registry_is_done_again_from_contexts_of_many_places(
    built: World, front: RegistryFront
) -> None:
    library = built.tmp / "library"
    built.git("init", "-q", "-b", "main", library, cwd=built.tmp)
    (library / "lib").mkdir()
    (library / "lib/file").write_text("from the library")
    built.git("add", "-A", cwd=library)
    built.git("commit", "-q", "-m", "library", cwd=library)
    built.write("shared/file", "old").commit(branch="old")
    built.write("shared/file", "new")
    built.write("web/Dockerfile", DOCKERFILE).unit("api", writes={"url": "http://api"})
    contexts = {
        "shared": {"path": "shared", "revision": "old"},
        "lib": {"path": ".", "repository": {"repoURL": f"file://{library}"}, "revision": "main"},
    }
    private(built, front, contexts=contexts, buildArgs={"API_URL": declarations.from_unit("api", "url")})
    pushing = threading.Event()
    front.before = lambda method, path: pushing.set() if method == "PUT" else None
    run = built.start("reconcile", "-e", "dev")
    assert pushing.wait(60)
    kill(run)
    front.before = None
    built.nyl("lease", "break", "-e", "dev", "--reason", "runner was killed")
    assert built.reconcile().verdicts() == {"api": "imported", "web": "recovered"}
    name, digest = repository(built), artifact(built)
    assert front.behind.config(name, digest)["config"]["Labels"]["api"] == "http://api"
    assert front.behind.files(name, digest) == {"shared": b"old", "lib": b"from the library"}
    shutil.rmtree(library)
    shutil.rmtree(built.project / ".nyl")
    assert built.report("verify", "-e", "dev").unit("web")["finding"] == "clean"


def private(world: World, front: RegistryFront, **spec: Any) -> None:
    """Declares an image in a registry that asks for a login, which the project's secrets hold."""
    front.users = {"alice": "correct-horse-battery"}
    world.environ |= {"NYL_SECRET_REGISTRY_USER": "alice", "NYL_SECRET_REGISTRY_PASSWORD": front.users["alice"]}
    login = {"usernameSecret": "registry-user", "passwordSecret": "registry-password"}
    where = {"repository": f"{front.host}/{repository(world)}", "registryAuth": {front.host: login}}
    image(world, front.behind, **where, **spec).write("nyl.toml", '[secrets]\nprovider = "env"\n').initialise()
