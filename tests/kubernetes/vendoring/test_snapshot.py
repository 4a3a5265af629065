"""The vendor folder: what is written is what is read, and nothing that is damaged is believed."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from nyl.core import faults
from nyl.core.diagnostics import NylError
from nyl.kubernetes.vendoring.snapshot import Snapshot, decoded, encoded
from nyl.kubernetes.vendoring.writing import VendorChanges, planned_entries, vendor_changes, write_snapshot
from tests.support.kubernetes_charts import MemoryTree

CONTENTS = {"@chart/https://charts.example.com#web@1.2.3": b"\x1f\x8b\r\n\0", "@git/x@0/ä.yaml": b"", "@a": b"same"}


def digests(contents: Mapping[str, bytes]) -> dict[str, str]:
    return {key: hashlib.sha256(data).hexdigest() for key, data in contents.items()}


def tree(root: Path) -> MemoryTree:
    """What is below a folder now."""
    files = {str(each.relative_to(root)): each.read_bytes() for each in root.rglob("*") if each.is_file()}
    return MemoryTree(files)


def write(root: Path, contents: Mapping[str, bytes]) -> list[str]:
    return write_snapshot(root, "deploy/vendor", digests(contents), contents)


def read(root: Path) -> Snapshot:
    return Snapshot.read(tree(root), "deploy/vendor")


def test_what_is_written_is_read_exactly(tmp_path: Path) -> None:
    write(tmp_path, {**CONTENTS, "@b": b"same"})
    found = read(tmp_path)
    assert {key: found.get(key) for key in found.entries} == {**CONTENTS, "@b": b"same"}
    assert found.get("@other") is None
    assert len(list((tmp_path / "deploy/vendor/files").iterdir())) == 3


def test_the_same_snapshot_is_written_once_and_the_same_bytes_whatever_the_order(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    assert write(one, CONTENTS)
    assert write(one, CONTENTS) == []
    write(other, dict(reversed(CONTENTS.items())))
    assert tree(one).contents == tree(other).contents


def test_what_is_not_named_any_more_is_removed_and_nothing_else(tmp_path: Path) -> None:
    write(tmp_path, CONTENTS)
    (tmp_path / "deploy/vendor/files/README").write_text("mine")
    (tmp_path / "deploy/vendor/NOTES").write_text("mine")
    changed = write(tmp_path, {"@a": b"same"})
    assert set(read(tmp_path).entries) == {"@a"}
    assert len(changed) == 3
    assert (tmp_path / "deploy/vendor/files/README").exists()
    assert (tmp_path / "deploy/vendor/NOTES").exists()


def test_a_damaged_file_is_written_again(tmp_path: Path) -> None:
    write(tmp_path, CONTENTS)
    path = tmp_path / "deploy/vendor/files" / digests(CONTENTS)["@a"]
    path.write_bytes(b"evil")
    assert write(tmp_path, CONTENTS) == [f"deploy/vendor/files/{path.name}"]
    assert read(tmp_path).get("@a") == b"same"


class Death(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize(("place", "reads"), [("vendored files written", "old"), ("vendor index written", "new")])
def test_a_death_in_between_leaves_a_whole_snapshot_and_the_next_writing_completes_it(
    tmp_path: Path, place: str, reads: str
) -> None:
    old, new = {"@a": b"one", "@b": b"two"}, {"@a": b"three", "@c": b"four"}

    def die(name: str) -> None:
        if name == place:
            raise Death

    write(tmp_path, old)
    faults.install(die)
    try:
        with pytest.raises(Death):
            write(tmp_path, new)
    finally:
        faults.install(None)
    found = read(tmp_path)
    assert {key: found.get(key) for key in found.entries} == (old if reads == "old" else new)
    write(tmp_path, new)
    write(tmp_path / "fresh", new)
    assert tree(tmp_path / "deploy").contents == tree(tmp_path / "fresh" / "deploy").contents


def test_git_keeps_the_bytes_and_ignores_none_of_them(tmp_path: Path) -> None:
    write(tmp_path, CONTENTS)
    assert (tmp_path / "deploy/vendor/.gitattributes").read_text() == "* -text -diff -filter\n"
    assert (tmp_path / "deploy/vendor/.gitignore").read_text() == "!*\n"


def test_nothing_is_written_through_a_symlink(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy/vendor").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(NylError, match="NYL-PATH-REFUSED"):
        write(tmp_path, CONTENTS)
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("damage", [b"other", None])
def test_bytes_that_are_not_those_of_the_index_are_refused(tmp_path: Path, damage: bytes | None) -> None:
    write(tmp_path, CONTENTS)
    path = tmp_path / "deploy/vendor/files" / digests(CONTENTS)["@a"]
    path.unlink() if damage is None else path.write_bytes(damage)
    with pytest.raises(NylError, match="NYL-VENDOR-CORRUPT") as caught:
        read(tmp_path).get("@a")
    assert f"deploy/vendor/files/{path.name}" in caught.value.diagnostic.message


@pytest.mark.parametrize(
    "index",
    [
        b"",
        b"[]",
        b"{}",
        b'{"version": 1}',
        b'{"version": 1, "files": []}',
        b'{"version": 1, "files": {"@a": "../../etc/passwd"}}',
        b'{"version": 2, "files": {}}',
        b"\xff",
    ],
)
def test_a_damaged_index_or_one_of_another_version_is_refused(index: bytes) -> None:
    with pytest.raises(NylError, match="NYL-VENDOR-CORRUPT"):
        Snapshot.read(MemoryTree({"vendor/index.json": index}), "vendor")


def test_no_index_is_an_empty_snapshot() -> None:
    assert Snapshot.read(MemoryTree({}), "vendor").entries == {}


def test_the_index_is_sorted_json_with_a_newline_at_its_end() -> None:
    data = encoded(digests(CONTENTS))
    assert decoded(data, "x") == digests(CONTENTS)
    assert list(json.loads(data)["files"]) == sorted(CONTENTS)
    assert data.endswith(b"}\n")


def test_without_pruning_what_was_captured_before_stays() -> None:
    old, found = {"@a": "1", "@b": "2"}, {"@b": "3", "@c": "4"}
    assert planned_entries(old, found, prune=False) == {"@a": "1", "@b": "3", "@c": "4"}
    assert planned_entries(old, found, prune=True) == found
    changes = vendor_changes(old, found)
    assert (changes.added, changes.changed, changes.removed) == (("@c",), ("@b",), ("@a",))
    assert vendor_changes(old, old) == VendorChanges((), (), ())
