"""Units whose files became Git LFS pointers."""

import pytest

from nyl.core.codes import Code
from tests.engine.projects import initialised, planned, reconciled, verdicts
from tests.support.world import World

POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 9\n"


@pytest.fixture
def recorded(world: World) -> World:
    world.write("old.yaml", POINTER).environment().unit("a").unit("b")
    reconciled(initialised(world))
    return world


@pytest.mark.parametrize("file", ["units/b.yaml", "new.json"])
def test_a_unit_is_not_taken_for_removed_where_a_file_went_to_git_lfs(recorded: World, file: str) -> None:
    recorded.remove("units/b.yaml").write(file, POINTER).commit()
    before = recorded.refs()
    for report in (planned(recorded), reconciled(recorded)):
        [told] = [each for each in report.all_diagnostics if each.unit]
        assert (told.code, told.unit, str(told.location), report.exit) == (Code.SOURCE_INPUT, "b", file, 1)
        assert "old.yaml" not in told.message
    assert recorded.refs() == before


def test_what_was_in_git_lfs_before_keeps_no_unit(recorded: World) -> None:
    recorded.remove("units/b.yaml").commit()
    assert verdicts(reconciled(recorded)) == {"dev/a": "current", "dev/b": "released"}


def test_a_unit_goes_where_it_is_declared_as_disabled(recorded: World) -> None:
    recorded.write("new.json", POINTER).unit("b", enabled=False).commit()
    assert verdicts(reconciled(recorded)) == {"dev/a": "current", "dev/b": "released"}
