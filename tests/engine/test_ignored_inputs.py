"""Folders of which an ignore file leaves out what does not enter a unit's key."""

from collections.abc import Sequence

import pytest

from nyl.core.codes import Code
from nyl.engine.inputs import UnitInputs
from nyl.units.inputs import InputFiles, SourceField
from tests.engine.projects import library, read_inputs, reading, refusal, unit_sources, workspace
from tests.support.world import World

IGNORE = ("app/Dockerfile.dockerignore", "app/.dockerignore")
LFS = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 1\n"


def inputs_of(
    world: World, folder: str = "app", ignore: Sequence[str] = IGNORE, files: Sequence[InputFiles] = ()
) -> UnitInputs:
    world.commit()
    where = workspace(world)
    commit = where.objects.resolve("HEAD")
    assert commit is not None
    unit = reading(files=[InputFiles((folder,), ignore=tuple(ignore)), *files])
    return read_inputs(where, unit_sources(where, commit), unit)[1][0]


def keyed(inputs: UnitInputs) -> list[str]:
    return [each.path for each in inputs.record.files]


def test_an_ignored_file_enters_neither_key_nor_checkout(world: World) -> None:
    world.write("app/a", "").write("app/b.md", "").write("app/.dockerignore", "*.md\n")
    inputs = inputs_of(world)
    assert keyed(inputs) == ["app/.dockerignore", "app/a"]
    assert set(inputs.paths[""]) == {"app/.dockerignore", "app/a"}


def test_an_ignore_file_that_ignores_itself_is_in_the_checkout_alone(world: World) -> None:
    world.write("app/a", "").write("app/.dockerignore", ".dockerignore\n")
    inputs = inputs_of(world)
    assert keyed(inputs) == ["app/a"]
    assert set(inputs.paths[""]) == {"app/.dockerignore", "app/a"}


def test_the_first_ignore_file_that_exists_decides(world: World) -> None:
    world.write("app/a", "").write("app/.dockerignore", "*\n").write("app/Dockerfile.dockerignore", ".*\nD*\n")
    assert keyed(inputs_of(world)) == ["app/a"]


def test_a_file_that_is_named_beside_the_folder_counts_although_it_is_ignored(world: World) -> None:
    world.write("app/Dockerfile", "").write("app/.dockerignore", "*\n")
    inputs = inputs_of(world, files=[InputFiles(("app/Dockerfile",))])
    assert keyed(inputs) == ["app/Dockerfile"]


def test_a_file_that_is_named_twice_is_recorded_once(world: World) -> None:
    world.write("app/Dockerfile", "").write("app/a", "")
    assert keyed(inputs_of(world, files=[InputFiles(("app/Dockerfile",))])) == ["app/Dockerfile", "app/a"]


def test_a_folder_may_be_ignored_as_a_whole(world: World) -> None:
    world.write("app/a", "").write("app/.dockerignore", "**\n")
    assert keyed(inputs_of(world)) == []


def test_the_project_itself_can_be_the_folder(world: World) -> None:
    world.write("a", "").write("units/x", "").write(".dockerignore", "*\n!a\n")
    assert keyed(inputs_of(world, ".", ["./.dockerignore"])) == ["a"]


def test_a_folder_is_named_literally(world: World) -> None:
    world.write("app[1]/a", "").write("app1/b", "")
    assert keyed(inputs_of(world, "app[1]", ["app[1]/.dockerignore"])) == ["app[1]/a"]
    assert "no folder app*" in refusal(lambda: inputs_of(world, "app*"), Code.SOURCE_INPUT)


@pytest.mark.parametrize("folder", ["nowhere", "app/a", "app/a/b"])
def test_what_is_no_folder_is_refused(world: World, folder: str) -> None:
    world.write("app/a", "")
    assert f"no folder {folder}" in refusal(lambda: inputs_of(world, folder), Code.SOURCE_INPUT)


def test_pointers_and_submodules_matter_only_where_they_are_not_ignored(world: World) -> None:
    world.write("app/a", "").write("app/big.bin", LFS).write("app/.dockerignore", "*.bin\nmodule\n")
    (world.root / "app/module").mkdir()
    world.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},app/module")
    world.git("commit", "-q", "-m", "Add a module")
    assert keyed(inputs_of(world)) == ["app/.dockerignore", "app/a"]
    world.write("app/.dockerignore", "*.bin\n")
    assert "app/module" in refusal(lambda: inputs_of(world), Code.SOURCE_INPUT)
    world.write("app/.dockerignore", "module\n")
    assert "app/big.bin" in refusal(lambda: inputs_of(world), Code.SOURCE_INPUT)


def test_a_malformed_ignore_file_is_an_error_with_its_line(world: World) -> None:
    world.write("app/a", "").write("app/.dockerignore", "ok\nx[\n")
    message = refusal(lambda: inputs_of(world), Code.SOURCE_INPUT)
    assert "app/.dockerignore" in message
    assert "line 2 has a [ without its ]" in message


def test_an_ignore_file_that_is_a_link_is_refused(world: World) -> None:
    world.write("app/a", "").write("other", "*\n")
    (world.root / "app/.dockerignore").symlink_to("../other")
    assert "symlink app/.dockerignore" in refusal(lambda: inputs_of(world), Code.SOURCE_INPUT)


def test_an_ignore_file_of_another_repository_is_read_there(world: World) -> None:
    url = library(world, lib="first", note="second")
    (world.tmp / "library/.dockerignore").write_text("note*\n.*\n")
    world.git("add", "-A", cwd=world.tmp / "library")
    world.git("commit", "-q", "-m", "Ignore", cwd=world.tmp / "library")
    world.commit()
    where = workspace(world)
    commit = where.objects.resolve("HEAD")
    assert commit is not None
    files = [InputFiles((".",), "/context", ("./.dockerignore",))]
    unit = reading(SourceField("/context", ".", url, revision="main"), files=files)
    _, (inputs,) = read_inputs(where, unit_sources(where, commit), unit)
    assert keyed(inputs) == ["lib.txt"]
