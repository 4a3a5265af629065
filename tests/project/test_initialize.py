"""The project that `nyl init` writes."""

from pathlib import Path

import pytest

from nyl.core.cache import Cache
from nyl.core.clock import SystemClock
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.repository import Repository
from nyl.project.config import load_config
from nyl.project.discovery import discover
from nyl.project.scaffold.initialize import initialize
from nyl.units.registry import DriverRegistry
from tests.project.repositories import ENVIRON, new_repository, worktree_of


def test_an_empty_folder_becomes_a_project_in_a_repository_of_its_own(tmp_path: Path) -> None:
    made = initialize(tmp_path / "new", ENVIRON)
    assert made.repository_created
    assert set(made.written) == {
        ".gitignore",
        "environments/dev.yaml",
        "nyl.toml",
        "units/announcement.yaml",
        "units/greeting.yaml",
    }
    repository = Repository.discover(made.folder, ENVIRON, SystemClock())
    config = load_config((made.folder / "nyl.toml").read_bytes())
    project = discover(worktree_of(repository), config, DriverRegistry(), Cache(None))
    units = project.render(project.environments["dev"]).units
    assert set(units) == {"announcement", "greeting"}
    assert units["announcement"].spec["values"]["text"] == {"fromUnit": {"unit": "greeting", "output": "text"}}
    assert units["greeting"].spec["command"][-1] == "Hello, world!"


def test_an_existing_repository_keeps_everything_it_has(tmp_path: Path) -> None:
    new_repository(tmp_path)
    (tmp_path / ".gitignore").write_text("*.log")
    (tmp_path / "README.md").write_text("mine")
    assert not initialize(tmp_path, ENVIRON).repository_created
    assert (tmp_path / ".gitignore").read_text() == "*.log\n.nyl/\n"
    assert (tmp_path / "README.md").read_text() == "mine"


def test_an_ignored_cache_is_not_ignored_twice(tmp_path: Path) -> None:
    new_repository(tmp_path)
    (tmp_path / ".gitignore").write_text("/.nyl/\n")
    assert ".gitignore" not in initialize(tmp_path, ENVIRON).written
    assert (tmp_path / ".gitignore").read_text() == "/.nyl/\n"


@pytest.mark.parametrize("name", ["nyl.toml", "units/greeting.yaml", "environments"])
def test_nothing_is_written_when_anything_is_in_the_way(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(NylError) as caught:
        initialize(tmp_path, ENVIRON)
    assert {each.code for each in caught.value.diagnostics} == {Code.FILE_EXISTS}
    assert sorted(tmp_path.rglob("*")) == before
    assert path.read_text() == "mine"


@pytest.mark.parametrize("name", [".gitignore", "environments", "units"])
def test_nothing_is_written_through_a_symlink(tmp_path: Path, name: str) -> None:
    outside, here = tmp_path / "outside", tmp_path / "here"
    here.mkdir()
    outside.write_text("mine") if name == ".gitignore" else outside.mkdir()
    (here / name).symlink_to(outside)
    with pytest.raises(NylError) as caught:
        initialize(here, ENVIRON)
    assert {each.code for each in caught.value.diagnostics} == {Code.PATH_REFUSED}
    assert sorted(tmp_path.rglob("*")) == [here, here / name, outside]
    assert outside.is_dir() or outside.read_text() == "mine"


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(NylError) as caught:
        initialize(tmp_path / "file" / "deeper", ENVIRON)
    assert caught.value.diagnostic.code is Code.FILE_EXISTS


def test_files_that_git_ignores_here_are_told(tmp_path: Path) -> None:
    new_repository(tmp_path)
    assert initialize(tmp_path / "a", ENVIRON).ignored == ()
    (tmp_path / ".gitignore").write_text("*.yaml\n")
    made = initialize(tmp_path / "b", ENVIRON)
    assert made.ignored == ("environments/dev.yaml", "units/announcement.yaml", "units/greeting.yaml")
