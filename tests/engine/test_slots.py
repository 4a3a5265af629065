"""Runs page, Waves and Source commit: which checkouts a unit gets, and what they hold."""

import threading
from pathlib import Path
from typing import Any

import pytest

from nyl.engine.content import MAIN
from nyl.engine.slots import SlotLayout, SlotPool, Workplace, slot_layout, workplace
from nyl.units.inputs import InputFiles, SourceField
from tests.engine.builders import check, unit
from tests.engine.projects import everywhere, library, read_inputs, reading, unit_sources, workspace
from tests.support.world import World

ONE, TWO = "/contexts/one", "/contexts/two"


def placed(world: World, *fields: SourceField, **reads: Any) -> Workplace:
    """The workplace of a unit at the project's newest commit."""
    where, commit = workspace(world), world.git("rev-parse", "HEAD")
    (contents,), (inputs,) = read_inputs(where, unit_sources(where, commit), reading(*fields, **reads))
    return workplace(contents, inputs)


def held(layout: SlotLayout) -> list[tuple[str, ...] | None]:
    return [each.paths for each in layout.requests]


def files(folder: Path) -> list[str]:
    return sorted(each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file())


def test_a_unit_gets_the_whole_of_s(world: World) -> None:
    world.write("a.txt", "a").commit()
    layout = placed(world, files=[InputFiles(("a.txt",))]).layout
    assert (held(layout), layout.places) == ([None], {MAIN: 0})


def test_a_private_unit_gets_declared_files_and_the_configuration_alone(world: World) -> None:
    world.write("a.txt", "a").write("b.txt", "b").commit()
    assert held(placed(world, files=[InputFiles(("a.txt",))], private=True).layout) == [("a.txt", "nyl.toml")]


@pytest.mark.parametrize("folder", ["", "deploy"])
def test_a_private_unit_that_reads_nothing_gets_an_empty_folder_each_time(tmp_path: Path, folder: str) -> None:
    world = World(tmp_path / "world", folder=folder)
    world.write("a.txt", "a").commit()
    place = placed(world, private=True)
    pool = SlotPool(lambda: tmp_path / "slots", 1, world.environ)
    with pool.slot() as slot:
        first = slot.prepare(place)[MAIN]
        assert (first.is_dir(), files(tmp_path / "slots")) == (True, [])
        (first / "left").write_text("x")
        assert slot.prepare(place)[MAIN] == first
        assert files(first) == []
    pool.close()


def test_of_a_project_in_a_folder_the_whole_folder_is_configuration(tmp_path: Path) -> None:
    world = World(tmp_path, folder="deploy")
    world.write("../lib/a.txt", "a").commit()
    assert held(placed(world, files=[InputFiles(("/lib/a.txt",))], private=True).layout) == [("lib/a.txt", "deploy")]


def test_a_source_of_s_shares_its_checkout(world: World) -> None:
    world.write("app/a.txt", "a").write("lib/b.txt", "b").commit()
    fields = (SourceField(ONE, "app"), SourceField(TWO, "lib"))
    reads = [InputFiles(("app",), ONE), InputFiles(("lib",), TWO)]
    private = placed(world, *fields, files=reads, private=True).layout
    assert (held(private), private.places) == ([("nyl.toml", "app/a.txt", "lib/b.txt")], {MAIN: 0, ONE: 0, TWO: 0})
    assert held(placed(world, *fields, files=reads).layout) == [None]


def test_every_other_commit_and_repository_has_a_checkout_of_its_own(world: World) -> None:
    url = library(world, lib="x")
    world.write("app/a.txt", "a").commit(branch="old")
    world.write("app/a.txt", "b").commit()
    fields = (SourceField(ONE, "app", revision="old"), SourceField(TWO, ".", url, revision="main"))
    layout = placed(world, *fields, files=[InputFiles(("app",), ONE), everywhere(TWO)]).layout
    assert (held(layout), layout.places) == ([None, ("app/a.txt",), ("lib.txt",)], {MAIN: 0, ONE: 1, TWO: 2})


def test_a_slot_holds_what_the_layout_says(world: World, tmp_path: Path) -> None:
    url = library(world, lib="x")
    world.write("app/a.txt", "a").write("other.txt", "o").commit()
    fields = (SourceField(ONE, "app"), SourceField(TWO, ".", url, revision="main"))
    place = placed(world, *fields, files=[InputFiles(("app",), ONE), everywhere(TWO)], private=True)
    pool = SlotPool(lambda: tmp_path / "slots", 1, world.environ)
    with pool.slot() as slot:
        folders = slot.prepare(place)
        assert files(folders[MAIN]) == ["app/a.txt", "nyl.toml"]
        assert folders[ONE] == folders[MAIN]
        assert files(folders[TWO]) == ["lib.txt"]
    pool.close()


def test_a_slot_goes_from_unit_to_unit_and_each_finds_a_fresh_checkout(world: World, tmp_path: Path) -> None:
    world.write("a.txt", "a").write("b.txt", "b").commit()
    whole, part = placed(world), placed(world, files=[InputFiles(("b.txt",))], private=True)
    pool = SlotPool(lambda: tmp_path / "slots", 1, world.environ)
    with pool.slot() as slot:
        folder = slot.prepare(whole)[MAIN]
        (folder / "a.txt").write_text("dirt")
        (folder / "left.txt").write_text("dirt")
        assert files(slot.prepare(part)[MAIN]) == ["b.txt", "nyl.toml"]
        assert slot.prepare(whole)[MAIN].joinpath("a.txt").read_text() == "a"
        assert not (folder / "left.txt").exists()
    pool.close()


def test_a_unit_works_in_the_projects_folder(tmp_path: Path) -> None:
    world = World(tmp_path, folder="deploy")
    world.write("a.txt", "a").commit()
    pool = SlotPool(lambda: tmp_path / "slots", 1, world.environ)
    with pool.slot() as slot:
        assert slot.prepare(placed(world))[MAIN].joinpath("a.txt").read_text() == "a"
    pool.close()


def test_a_used_slot_is_taken_before_a_new_one_and_no_more_than_there_are(world: World, tmp_path: Path) -> None:
    pool = SlotPool(lambda: tmp_path / "slots", 2, world.environ)
    with pool.slot() as first:
        with pool.slot() as second:
            assert first is not second
            waiting = threading.Thread(target=lambda: pool.slot().__enter__(), daemon=True)
            waiting.start()
            waiting.join(0.02)
            assert waiting.is_alive()
        waiting.join(5)
    with pool.slot() as third:
        assert third is first


def test_a_unit_that_reads_nothing_still_gets_s(world: World) -> None:
    commit = world.commit()
    where = workspace(world)
    (contents,), (inputs,) = read_inputs(where, unit_sources(where, commit), check(unit("plain"))["plain"])
    assert held(slot_layout(contents, inputs)) == [None]
