"""OciImage in whole runs: buildah and a real registry."""

from pathlib import Path
from typing import Any

import pytest

from tests.support import declarations
from tests.support.image_registry import ImageRegistry, buildah_environment, image_registry
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
    built.write("web/README.md", "more").write("elsewhere", "x").commit()
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
    assert artifact(built) == second == registry.digest(repository(built), second)


def test_named_contexts_and_build_arguments_come_from_elsewhere(
    built: World, registry: ImageRegistry, tmp_path: Path
) -> None:
    library = tmp_path / "library"
    built.git("init", "-q", "-b", "main", library, cwd=tmp_path)
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
    arguments = {"API_URL": declarations.from_unit("api", "url")}
    image(built, registry, contexts=contexts, buildArgs=arguments).initialise()
    assert built.reconcile().verdicts() == {"api": "executed", "web": "executed"}
    name, digest = repository(built), artifact(built)
    assert registry.config(name, digest)["config"]["Labels"]["api"] == "http://api"
    assert registry.files(name, digest) == {"shared": b"old", "lib": b"from the library"}
