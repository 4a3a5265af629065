"""Runs page, Source commit: source fields of units, private checkouts, freshness by bytes; and installed drivers."""

from pathlib import Path
from typing import Any

import pytest

from tests.driver_package.installed import installed_at
from tests.support import declarations
from tests.support.declarations import from_artifact
from tests.support.world import World

GROUP = "test.nyl.example/v1"
FILES = {"files": {"type": "array"}, "digest": {"type": "string"}}


def probe(world: World, name: str, kind: str = "Probe", **spec: Any) -> World:
    """Declares a unit of an installed driver."""
    return world.write(f"units/{name}.yaml", declarations.resource(GROUP, kind, name, spec))


@pytest.fixture
def driven(world: World) -> World:
    """`dev` with the test drivers installed beside nyl, and a file to read."""
    (world.tmp / "site").mkdir()
    world.environ["PYTHONPATH"] = str(installed_at(world.tmp / "site"))
    return world.environment().write("app/main.txt", "one").write("other/secret.txt", "hidden")


def library(world: World) -> str:
    """Another repository, beside the project's; gives its URL."""
    folder = world.tmp / "library"
    world.git("init", "-q", "-b", "main", folder, cwd=world.tmp)
    (folder / "lib").mkdir()
    publish(world, "first")
    return f"file://{folder}"


def publish(world: World, text: str) -> str:
    """Commits a text to the library, and gives the commit."""
    folder = world.tmp / "library"
    (folder / "lib/file.txt").write_text(text)
    world.git("add", "-A", cwd=folder)
    world.git("commit", "-q", "--allow-empty", "-m", text, cwd=folder)
    return world.git("rev-parse", "HEAD", cwd=folder)


def test_private_checkouts_hold_declared_paths_and_the_configuration_alone(driven: World) -> None:
    probe(driven, "app", source={"path": "app"}, outputs=FILES).initialise()
    seen = driven.reconcile().unit("app")["outputs"]["files"]
    assert seen == ["/source:app/main.txt", "/source:nyl.toml"]


def test_a_source_field_can_name_another_revision_of_this_repository(driven: World) -> None:
    driven.commit(branch="old")
    driven.write("app/main.txt", "two").write("app/new.txt", "x")
    probe(driven, "app", source={"path": "app", "revision": "old"}, outputs=FILES).initialise()
    assert "/source:app/new.txt" not in driven.reconcile().unit("app")["outputs"]["files"]


def test_named_contexts_may_read_different_repositories_in_one_build(driven: World) -> None:
    url = library(driven)
    driven.write("repository.yaml", declarations.resource("gitops.nyl/v1", "GitRepository", "lib", {"repoURL": url}))
    contexts = {
        "declared": {"repositoryRef": {"name": "lib"}, "revision": "main", "path": "lib"},
        "inline": {"repository": {"repoURL": url}, "revision": "main", "path": "lib"},
    }
    probe(driven, "app", source={"path": "app"}, contexts=contexts, outputs=FILES).initialise()
    seen = driven.reconcile().unit("app")["outputs"]["files"]
    assert {"/contexts/declared:lib/file.txt", "/contexts/inline:lib/file.txt", "/source:app/main.txt"} <= set(seen)


def test_a_remote_source_requires_a_revision(driven: World) -> None:
    contexts = {"lib": {"repository": {"repoURL": library(driven)}, "path": "lib"}}
    probe(driven, "app", contexts=contexts).commit()
    assert "revision" in str(driven.report("validate", exits=1).diagnostics)


def test_a_reference_to_an_undeclared_repository_is_unknown(driven: World) -> None:
    probe(driven, "app", source={"path": "app", "revision": "main", "repositoryRef": {"name": "nobody"}}).initialise()
    refused = driven.reconcile(exits=(1, 3))
    assert "NYL-REPOSITORY-UNKNOWN" in refused.codes


def test_resolution_records_each_fields_commit_and_path(driven: World) -> None:
    contexts = {"lib": {"repository": {"repoURL": library(driven)}, "revision": "main", "path": "lib/"}}
    probe(driven, "app", contexts=contexts).initialise().reconcile()
    inputs = str(driven.stored("desired/units/app.yaml", "desired"))
    assert driven.git("rev-parse", "HEAD", cwd=driven.tmp / "library") in inputs


def test_a_new_commit_with_the_same_bytes_does_not_run_the_unit_again(driven: World) -> None:
    contexts = {"lib": {"repository": {"repoURL": library(driven)}, "revision": "main", "path": "lib"}}
    probe(driven, "app", contexts=contexts).initialise().reconcile()
    publish(driven, "first")
    assert driven.reconcile().verdicts() == {"app": "current"}
    publish(driven, "second")
    assert driven.reconcile().verdicts() == {"app": "executed"}


def test_a_pinned_commit_of_a_source_field_stays(driven: World) -> None:
    url = library(driven)
    pinned = driven.git("rev-parse", "HEAD", cwd=driven.tmp / "library")
    field = {"repository": {"repoURL": url}, "revision": "main", "commit": pinned, "path": "lib"}
    probe(driven, "app", contexts={"lib": field}).initialise().reconcile()
    publish(driven, "second")
    assert driven.reconcile().verdicts() == {"app": "current"}


def test_a_pinned_commit_outside_its_revision_is_unreachable(driven: World) -> None:
    url = library(driven)
    driven.git("checkout", "-q", "-b", "stray", cwd=driven.tmp / "library")
    stray = publish(driven, "stray")
    field = {"repository": {"repoURL": url}, "revision": "main", "commit": stray, "path": "lib"}
    driven.environment(allowUnprotectedSource=True)
    probe(driven, "app", contexts={"lib": field}).initialise()
    refused = driven.reconcile(exits=(1, 3))
    assert "NYL-SOURCE-UNREACHABLE" in refused.codes
    assert stray in str(refused.diagnostics)


def test_local_paths_are_relative_to_the_project_or_rooted(tmp_path: Path) -> None:
    world = World(tmp_path, folder="deploy")
    (world.tmp / "site").mkdir()
    world.environ["PYTHONPATH"] = str(installed_at(world.tmp / "site"))
    world.environment().write("app/near.txt", "x").write("../app/far.txt", "y")
    probe(world, "near", source={"path": "app"})
    probe(world, "far", source={"path": "/app"}).initialise()
    world.reconcile()
    read = {name: world.stored(f"desired/units/{name}.yaml", "desired")["inputs"]["files"] for name in ("near", "far")}
    assert [each["path"] for each in read["near"]] == ["app/near.txt"]
    assert [each["path"] for each in read["far"]] == ["/app/far.txt"]


@pytest.mark.parametrize("path", ["../outside", "/../outside", "app/../../outside"])
def test_a_path_that_leaves_its_root_is_refused(driven: World, path: str) -> None:
    probe(driven, "app", source={"path": path}).initialise()
    assert driven.reconcile(exits=(1, 3)).codes & {"NYL-PATH-REFUSED", "NYL-RESOURCE-INVALID"}


def test_update_source_locks_moves_only_the_commit_id(driven: World) -> None:
    url = library(driven)
    old = driven.git("rev-parse", "HEAD", cwd=driven.tmp / "library")
    text = (
        f"# keep this\napiVersion: {GROUP}\nkind: Probe\nmetadata: {{name: app}}\nspec:\n  contexts:\n    lib:\n"
        f"      path: lib\n      repository: {{repoURL: '{url}'}}\n      revision: main\n      commit:  {old}  # pin\n"
    )
    driven.write("units/app.yaml", text).commit()
    new = publish(driven, "second")
    driven.nyl("update", "source-locks", "--check", exits=2)
    assert (driven.project / "units/app.yaml").read_text() == text
    driven.nyl("update", "source-locks")
    assert (driven.project / "units/app.yaml").read_text() == text.replace(old, new)
    driven.nyl("update", "source-locks", "--check")


def test_a_value_inside_an_artifact_can_be_referenced(driven: World) -> None:
    probe(driven, "app", values={"deep": {"list": [{"x/y": 7}]}}, artifact=True)
    driven.unit("user", values={"x": from_artifact("app", "seen", "/values/deep/list/0/x~1y")})
    driven.initialise().reconcile()
    assert driven.stored("desired/units/user.yaml", "desired")["resolvedSpec"]["values"] == {"x": 7}
    printed = driven.nyl("get", "artifact", "app/seen", "-e", "dev", "--pointer", "/values/deep/list/0/x~1y")
    assert printed.stdout.strip() == "7"


def test_a_pointer_to_nothing_blocks_the_consumer(driven: World) -> None:
    probe(driven, "app", values={"a": 1}, artifact=True)
    driven.unit("user", values={"x": from_artifact("app", "seen", "/values/b")}).initialise()
    ended = driven.reconcile(exits=None)
    assert ended.code in (1, 2)
    assert driven.ran() == []


def test_a_kind_that_needs_committed_source_refuses_a_worktree(driven: World) -> None:
    driven.environment(allowUnprotectedSource=True)
    probe(driven, "strict", "CommittedOnly").initialise()
    assert "NYL-WORKTREE-REFUSED" in driven.reconcile("--worktree", exits=(1, 3)).codes
    assert driven.reconcile().verdicts() == {"strict": "executed"}


def test_pinned_sources_keep_their_commits_in_a_worktree_run(driven: World) -> None:
    driven.environment(allowUnprotectedSource=True).initialise()
    pinned = driven.git("rev-parse", "HEAD")
    driven.write("app/main.txt", "two").write("app/new.txt", "x")
    probe(driven, "app", source={"path": "app", "revision": "main", "commit": pinned}, outputs=FILES)
    probe(driven, "free", source={"path": "app"}, outputs=FILES)
    seen = driven.reconcile("--worktree")
    assert "/source:app/new.txt" not in seen.unit("app")["outputs"]["files"]
    assert "/source:app/new.txt" in seen.unit("free")["outputs"]["files"]


def test_a_driver_that_raises_leaves_its_unit_uncertain(driven: World) -> None:
    probe(driven, "broken", "Broken").initialise()
    assert driven.reconcile(exits=4).verdicts() == {"broken": "uncertain"}


def test_a_kind_without_an_installed_driver_is_unknown(driven: World) -> None:
    probe(driven, "odd", "Prob").commit()
    refused = driven.report("validate", exits=1)
    assert "NYL-KIND-UNKNOWN" in refused.codes
    assert "Probe" in str(refused.diagnostics)


def test_get_kinds_lists_what_is_installed(driven: World) -> None:
    shown = driven.nyl("get", "kinds").stdout
    assert "Command" in shown
    assert "Probe" in shown
