"""Runs page, Source commit: where units read, in S, other revisions and other repositories, and what enters keys."""

from typing import Any

import pytest

from nyl.core.canonical import digest_bytes
from nyl.core.codes import Code
from nyl.core.diagnostics import Severity
from nyl.engine.source import Source
from nyl.engine.submodules import submodule_warnings
from nyl.engine.workspace import Workspace
from nyl.git.snapshots import Snapshot
from nyl.state.documents import InputFile, SourceRecord
from nyl.units.inputs import InputFiles, SourceField
from tests.engine.builders import environment
from tests.engine.projects import (
    everywhere,
    library,
    names,
    publish,
    read_inputs,
    reading,
    refusal,
    unit_sources,
    workspace,
)
from tests.support.world import World

ONE, TWO = "/contexts/one", "/contexts/two"


def opened(world: World) -> tuple[Workspace, str]:
    """The project after a commit of all that is there."""
    commit = world.commit()
    return workspace(world), commit


def sources_of(world: World, *fields: SourceField, **repositories: str) -> Any:
    where, commit = opened(world)
    return unit_sources(where, commit, None, **repositories).contents(reading(*fields))


def test_a_source_without_revision_reads_s_from_the_projects_folder(world: World) -> None:
    world.write("app/main.txt", "one")
    found = sources_of(world, SourceField(ONE, "./app/"))
    assert "app/main.txt" in names(found.contents[ONE])
    assert found.contents[ONE].commit == found.contents[""].commit
    assert found.records == {ONE: SourceRecord(found.contents[ONE].commit, "app")}


def test_a_rooted_path_is_recorded_from_the_root(tmp_path: Any) -> None:
    world = World(tmp_path, folder="deploy")
    found = sources_of(world, SourceField(ONE, "/lib"), SourceField(TWO, "lib"))
    assert [each.path for each in found.records.values()] == ["lib", "deploy/lib"]


def test_a_revision_of_the_project_is_read_at_its_tip(world: World) -> None:
    old = world.write("app/main.txt", "one").commit(branch="old")
    world.write("app/new.txt", "two")
    found = sources_of(world, SourceField(ONE, "app", revision="old"))
    assert found.contents[ONE].commit == found.records[ONE].commit == old
    assert "app/new.txt" not in names(found.contents[ONE])


def test_other_repositories_are_read_inline_or_by_name(world: World) -> None:
    url = library(world, lib="first")
    inline, named = SourceField(ONE, ".", url, revision="main"), SourceField(TWO, ".", None, "lib", "main")
    found = sources_of(world, inline, named, lib=url)
    assert names(found.contents[ONE]) == names(found.contents[TWO]) == ["lib.txt"]
    assert [each.repository for each in found.records.values()] == [url, url]
    assert found.contents[ONE].folder == ""


def test_a_pinned_commit_stays_and_is_fetched_when_it_is_not_here(world: World) -> None:
    url = library(world, lib="first")
    first = world.git("rev-parse", "HEAD", cwd=world.tmp / "library")
    publish(world, lib="second")
    found = sources_of(world, SourceField(ONE, ".", url, revision="main", commit=first))
    assert found.contents[ONE].commit == first


def test_a_pin_outside_its_revision_is_refused_whatever_the_environment_allows(world: World) -> None:
    url = library(world, lib="first")
    world.git("checkout", "-q", "-b", "stray", cwd=world.tmp / "library")
    stray = publish(world, lib="stray")
    where, commit = opened(world)
    lax = environment(allow_unprotected_source=True)
    unit = reading(SourceField(ONE, ".", url, revision="main", commit=stray))
    assert stray in refusal(lambda: unit_sources(where, commit, lax).contents(unit), Code.SOURCE_UNREACHABLE)


def test_the_projects_protected_refs_say_nothing_of_another_repository(world: World) -> None:
    url = library(world, lib="first")
    world.git("checkout", "-q", "-b", "stray", cwd=world.tmp / "library")
    stray = publish(world, lib="stray")
    where, commit = opened(world)
    lax = environment(protected_refs=("*",))
    unit = reading(SourceField(ONE, ".", url, revision="main", commit=stray))
    refusal(lambda: unit_sources(where, commit, lax).contents(unit), Code.SOURCE_UNREACHABLE)


def test_a_pin_of_the_project_may_be_reachable_from_a_protected_ref(world: World) -> None:
    first = world.commit("First")
    world.git("push", "-q", "origin", f"{world.commit('Second')}:refs/heads/other")
    found = sources_of(world, SourceField(ONE, ".", revision="nowhere", commit=first))
    assert found.contents[ONE].commit == first


@pytest.mark.parametrize(
    ("field", "code"),
    [
        (SourceField(ONE, ".", "file:///nowhere"), Code.SOURCE_MISSING),
        (SourceField(ONE, ".", None, "nobody", "main"), Code.REPOSITORY_UNKNOWN),
        (SourceField(ONE, ".", revision="nowhere"), Code.SOURCE_MISSING),
        (SourceField(ONE, "../x"), Code.PATH_REFUSED),
        (SourceField(ONE, ".", "ext::sh -c true", revision="main"), Code.URL_REFUSED),
        (SourceField(ONE, ".", "--upload-pack=true", revision="main"), Code.URL_REFUSED),
        (SourceField(ONE, ".", "https://user:secret@example.com/x.git", revision="main"), Code.URL_REFUSED),
        (SourceField(ONE, ".", revision="--all"), Code.URL_REFUSED),
    ],
)
def test_a_source_that_cannot_be_had_is_refused(world: World, field: SourceField, code: Code) -> None:
    where, commit = opened(world)
    assert "secret" not in refusal(lambda: unit_sources(where, commit).contents(reading(field)), code)


def test_a_path_that_leaves_another_repository_is_refused(world: World) -> None:
    url = library(world, lib="first")
    where, commit = opened(world)
    unit = reading(SourceField(ONE, "../lib", url, revision="main"))
    refusal(lambda: unit_sources(where, commit).contents(unit), Code.PATH_REFUSED)


def test_each_repository_and_revision_is_asked_for_once(world: World) -> None:
    url = library(world, lib="first")
    where, commit = opened(world)
    sources = unit_sources(where, commit)
    unit = reading(SourceField(ONE, ".", url, revision="main"), SourceField(TWO, "lib.txt", url, revision="main"))
    first = sources.contents(unit)
    publish(world, lib="second")
    assert sources.contents(unit).records == first.records
    assert len(sources.remotes) == 1


def test_a_kind_that_needs_committed_source_refuses_a_snapshot(world: World) -> None:
    where, commit = opened(world)
    sources = unit_sources(where, commit)
    sources.source = Source(commit, snapshot=Snapshot(commit, None, True, 1, 0.0))
    refusal(lambda: sources.contents(reading(requires_commit=True)), Code.WORKTREE_REFUSED)
    assert sources.contents(reading())


def test_a_driver_that_raises_is_named_with_its_unit(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    where, commit = opened(world)
    unit = reading()
    monkeypatch.setattr(unit.driver, "inputs", lambda spec: spec["nothing"])
    message = refusal(lambda: unit_sources(where, commit).contents(unit), Code.DRIVER_INVALID)
    assert "KeyError" in message
    assert "app" in message


# What is read there


def test_files_are_recorded_with_name_digest_mode_and_source(world: World) -> None:
    url = library(world, lib="first\n")
    world.write("run.sh", "exit 0\n")
    where, commit = opened(world)
    unit = reading(SourceField(ONE, ".", url, revision="main"), files=[InputFiles(("run.sh",)), everywhere(ONE)])
    _, (inputs,) = read_inputs(where, unit_sources(where, commit), unit)
    assert inputs.record.files == (
        InputFile("run.sh", digest_bytes(b"exit 0\n"), executable=True),
        InputFile("lib.txt", digest_bytes(b"first\n"), source=ONE),
    )
    assert inputs.paths == {"": ("run.sh",), ONE: ("lib.txt",)}


def test_a_file_that_two_globs_select_is_read_once_and_files_are_sorted(world: World) -> None:
    world.write("b/x.txt", "x").write("a/x.txt", "x")
    where, commit = opened(world)
    unit = reading(files=[InputFiles(("b", "**/x.txt", "a/*"))])
    _, (inputs,) = read_inputs(where, unit_sources(where, commit), unit)
    assert [each.path for each in inputs.record.files] == ["a/x.txt", "b/x.txt"]


def test_a_new_commit_with_the_same_bytes_gives_the_same_files(world: World) -> None:
    url = library(world, lib="first")
    unit = reading(SourceField(ONE, ".", url, revision="main"), files=[everywhere(ONE)])
    where, commit = opened(world)
    _, (before,) = read_inputs(where, unit_sources(where, commit), unit)
    publish(world, lib="first")
    _, (after,) = read_inputs(where, unit_sources(where, commit), unit)
    assert before.record.files == after.record.files
    assert before.record.sources != after.record.sources


def test_digests_come_from_the_cache_the_second_time_and_a_spoiled_cache_changes_nothing(world: World) -> None:
    world.write("a.txt", "a")
    where, commit = opened(world)
    unit = reading(files=[InputFiles(("a.txt",))])
    _, (before,) = read_inputs(where, unit_sources(where, commit), unit)
    for each in where.cache_folder.rglob("*"):
        if each.is_file():
            each.write_bytes(b"spoiled")
    again = workspace(world)
    _, (after,) = read_inputs(again, unit_sources(again, commit), unit)
    assert before == after


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "a" * 64 + "\nsize 12\n"


def test_an_lfs_pointer_is_refused_with_its_place_and_again_from_the_cache(world: World) -> None:
    world.write("big.bin", POINTER)
    where, commit = opened(world)
    unit = reading(files=[InputFiles(("big.bin",))])
    for _ in range(2):
        message = refusal(lambda: read_inputs(where, unit_sources(where, commit), unit), Code.SOURCE_INPUT)
        assert "big.bin is a Git LFS pointer" in message


def test_a_glob_that_reaches_into_a_submodule_is_told_of(world: World) -> None:
    world.write("app/a.txt", "a").git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},app/module")
    (world.project / "app/module").mkdir()
    where, commit = opened(world)
    unit = unit_sources(where, commit).contents(reading(files=[InputFiles(("app/**/*.txt", "app/*.txt"))]))
    (warning,) = submodule_warnings("dev", [unit])
    assert (warning.code, warning.severity) == (Code.SOURCE_INPUT, Severity.WARNING)
    assert "app/**/*.txt selects nothing in app/module" in warning.message


def test_a_submodule_is_refused(world: World) -> None:
    library(world, lib="first")
    world.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(world.tmp / "library"), "vendor")
    where, commit = opened(world)
    unit = reading(files=[InputFiles(("vendor",))])
    assert "submodule" in refusal(lambda: read_inputs(where, unit_sources(where, commit), unit), Code.SOURCE_INPUT)


def test_a_path_through_a_symlink_is_refused(world: World) -> None:
    world.write("real/a.txt", "a")
    (world.project / "link").symlink_to("real")
    where, commit = opened(world)
    unit = reading(files=[InputFiles(("link/a.txt",))])
    assert "symlink link" in refusal(lambda: read_inputs(where, unit_sources(where, commit), unit), Code.SOURCE_INPUT)


def test_the_problems_of_all_units_are_found_at_once(world: World) -> None:
    where, commit = opened(world)
    units = [reading(files=[InputFiles((glob,))]) for glob in ("nothing", "nowhere/*")]
    message = refusal(lambda: read_inputs(where, unit_sources(where, commit), *units), Code.SOURCE_INPUT)
    assert "nothing" in message
    assert "nowhere/*" in message
