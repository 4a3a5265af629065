"""Where state files may lie."""

import pytest

from nyl.kubernetes.inputs.state_paths import SyncedFolders

SYNCED = SyncedFolders(["platform/web", "Größe/api", "teams/a/api"])


@pytest.mark.parametrize(
    "path",
    [
        "state/images.json",
        "images.json",
        "platform/state.json",
        "platform/web.json",
        "platform/webhook/s",
        "_nyls",
        "teams/b",
    ],
)
def test_a_path_outside_every_synced_folder(path: str) -> None:
    assert SYNCED.problem(path) is None


@pytest.mark.parametrize(
    "path",
    [
        "platform/web/state.json",
        "platform/web",
        "platform",
        "Platform/WEB/state.json",
        "PLATFORM",
        "teams/A",
        "GRÖSSE/api/x",
        "Gro\u0308ße/api/x",
        "_nyl/state.json",
        "_NYL/state.json",
        "_nyl",
    ],
)
def test_a_path_inside_or_above_a_synced_folder(path: str) -> None:
    assert str(SYNCED.problem(path)).startswith("lies inside or above ")


@pytest.mark.parametrize(
    "path", ["", "/state.json", "a//b", "a/", "./a", "a/../b", "..", ".git/x", "a/.GIT", "a\nb", "a\\b", "ä" * 128]
)
def test_what_is_no_path_below_the_prefix(path: str) -> None:
    assert str(SyncedFolders([]).problem(path)).startswith("is no path ")
