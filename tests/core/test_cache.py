import os
import sqlite3
import stat
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from nyl.core.cache import Cache


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "cache.sqlite"


def test_what_was_put_is_got_by_another_cache(path: Path) -> None:
    Cache(path).put_many("ns", {f"k{n}": b"v%d" % n for n in range(1500)})
    found = Cache(path).get_many("ns", [f"k{n}" for n in range(0, 3000, 2)])
    assert len(found) == 750
    assert found["k2"] == b"v2"
    assert Cache(path).get_many("other", ["k1"]) == {}


def test_no_path_caches_nothing() -> None:
    cache = Cache(None)
    cache.put_many("ns", {"a": b"1"})
    assert cache.get_many("ns", ["a"]) == {}


def test_reading_creates_nothing(path: Path) -> None:
    assert Cache(path).get_many("ns", ["a"]) == {}
    assert not path.parent.exists()


def test_files_are_private(path: Path) -> None:
    Cache(path).put_many("ns", {"a": b"1"})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_new_folder_is_ignored_by_git_and_an_old_one_is_left_as_it_is(path: Path, tmp_path: Path) -> None:
    Cache(path).put_many("ns", {"a": b"1"})
    assert (path.parent / ".gitignore").read_text() == "*\n"
    Cache(tmp_path / "cache.sqlite").put_many("ns", {"a": b"1"})
    assert not (tmp_path / ".gitignore").exists()


def test_a_damaged_row_is_a_miss(path: Path) -> None:
    Cache(path).put_many("ns", {"a": b"good", "b": b"fine"})
    with sqlite3.connect(path) as connection:
        connection.execute("update entries set value = 'bad' where key = 'a'")
    assert Cache(path).get_many("ns", ["a", "b"]) == {"b": b"fine"}


@pytest.mark.parametrize("junk", [b"", b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_a_miss_and_is_replaced(path: Path, junk: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(junk)
    assert Cache(path).get_many("ns", ["a"]) == {}
    Cache(path).put_many("ns", {"a": b"1"})
    assert Cache(path).get_many("ns", ["a"]) == {"a": b"1"}


def test_a_locked_file_is_a_miss_for_writers_only(path: Path) -> None:
    Cache(path).put_many("ns", {"a": b"1"})
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("begin immediate")
    Cache(path).put_many("ns", {"b": b"2"})
    assert Cache(path).get_many("ns", ["a", "b"]) == {"a": b"1"}
    holder.close()


def test_a_place_that_cannot_be_written_is_a_miss(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    cache = Cache(tmp_path / "file" / "cache")
    cache.put_many("ns", {"a": b"1"})
    assert cache.get_many("ns", ["a"]) == {}


def test_growth_is_bounded_and_what_was_used_lately_stays(path: Path) -> None:
    Cache(path, today=1).put_many("old", {f"k{n}": os.urandom(1000) for n in range(200)})
    Cache(path, today=2).get_many("old", ["k0"])
    Cache(path, limit=100_000, today=2).put_many("new", {"x": b"1"})
    kept = Cache(path).get_many("old", [f"k{n}" for n in range(200)])
    assert "k0" in kept
    assert len(kept) < 120


def _put(path: Path, number: int) -> int:
    """Keeps 20 values, each until it is there: a file that others keep locked for long is a miss."""
    cache = Cache(path)
    values = {f"{number}-{each}": b"x" * 100 for each in range(20)}
    for key, value in values.items():
        while cache.get_many("ns", [key]) != {key: value}:
            cache.put_many("ns", {key: value})
    return len(Cache(path).get_many("ns", values))


def test_several_processes_share_a_file(path: Path) -> None:
    with ProcessPoolExecutor(3) as pool:
        assert list(pool.map(_put, [path] * 3, range(3))) == [20, 20, 20]
