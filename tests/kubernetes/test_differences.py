"""How files of two trees differ."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nyl.kubernetes.differences import ChangeKind, file_difference
from tests.support.environment import clean_environment
from tests.support.processes import run_git


def test_a_change_is_shown_with_three_lines_around_it_and_counted() -> None:
    old = "".join(f"{n}\n" for n in range(1, 21))
    found = file_difference("web/a.yaml", old.encode(), old.replace("10\n", "ten\nmore\n").encode())
    assert found.diff.splitlines() == [
        "--- a/web/a.yaml",
        "+++ b/web/a.yaml",
        "@@ -7,7 +7,8 @@",
        *(" 7", " 8", " 9", "-10", "+ten", "+more", " 11", " 12", " 13"),
    ]
    assert (found.kind, found.lines_added, found.lines_removed) == (ChangeKind.CHANGED, 2, 1)


def test_added_and_removed_files_are_whole() -> None:
    added, removed = file_difference("a", None, b"1\n2\n"), file_difference("a", b"1\n", None)
    assert added.diff == "--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+1\n+2\n"
    assert removed.diff == "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"
    assert (added.kind, removed.kind) == (ChangeKind.ADDED, ChangeKind.REMOVED)


def test_a_missing_newline_is_told() -> None:
    assert file_difference("a", b"1\n", b"1").diff.endswith("@@ -1 +1 @@\n-1\n+1\n\\ No newline at end of file\n")


def test_what_is_no_text_only_says_that_it_differs() -> None:
    assert file_difference("a", b"\xff", b"\xfe").diff == "Binary files a/a and b/a differ\n"


def test_a_change_in_a_file_of_five_megabytes_is_found_at_once() -> None:
    lines = [f"key{n % 100}: value\n" for n in range(300_000)]
    old = "".join(lines).encode()
    lines[150_000] = "key: other\n"
    found = file_difference("a", old, "".join(lines).encode())
    assert (found.lines_added, found.lines_removed, len(found.diff.splitlines())) == (1, 1, 11)


TEXT = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\r\n", "\u2028\n"]), max_size=30).map("".join)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("applied")


@given(old=TEXT, new=TEXT, end=st.sampled_from(["", "x"]))
def test_git_applies_what_is_shown(folder: Path, old: str, new: str, end: str) -> None:
    before, after = old.encode(), (new + end).encode()
    if before == after or not (before and after):
        return
    (folder / "f").write_bytes(before)
    found = file_difference("f", before, after)
    (folder / "patch").write_bytes(found.diff.encode())
    run_git("apply", "--unidiff-zero", "patch", cwd=folder, environ=clean_environment(folder / "home"))
    assert (folder / "f").read_bytes() == after
