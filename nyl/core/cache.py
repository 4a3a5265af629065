"""A cache on disk that several processes share and that may be wrong, locked, full or gone at any time."""

import os
import threading
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

_SCHEMA = """
create table if not exists entries (
  namespace text not null, key text not null, value blob not null, checksum integer not null, used integer not null,
  primary key (namespace, key)) without rowid;
"""
_VARIABLES = 500
_DAY = 86_400


class Cache:
    """Bytes by namespace and key. Whatever goes wrong with the file is a miss, never an error.

    `path` is an SQLite file that is created on the first write with private permissions; None caches nothing.
    `limit` bounds the bytes of all values: what was used longest ago goes first. `today` is a day number that
    stands for the time of use; without one, rows age in the order they were written.
    """

    def __init__(self, path: Path | None, limit: int = 256 * 1024 * 1024, today: int = 0) -> None:
        self._path = path
        self._limit = limit
        self._today = today
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._broken = path is None

    def get_many(self, namespace: str, keys: Iterable[str]) -> dict[str, bytes]:
        """The values of the keys that are known and whole."""
        wanted = list(dict.fromkeys(keys))
        if self._broken or not wanted or self._path is None:
            return {}
        with self._lock:
            try:
                return self._read(self._path, namespace, wanted)
            except Exception:  # any failure of the database, the disk or a row is a miss
                self._close()
                return {}

    def put_many(self, namespace: str, values: Mapping[str, bytes]) -> None:
        """Keeps some values, as far as the file can be written."""
        if self._broken or not values or self._path is None:
            return
        with self._lock:
            try:
                self._write(self._path, namespace, values)
            except Exception:
                self._close()

    def close(self) -> None:
        """Lets go of the file. A later call opens it again."""
        with self._lock:
            self._close()

    def _read(self, path: Path, namespace: str, keys: Sequence[str]) -> dict[str, bytes]:
        if self._connection is None and not path.exists():
            return {}
        connection = self._open(path)
        found: dict[str, bytes] = {}
        stale = []
        for start in range(0, len(keys), _VARIABLES):
            some = keys[start : start + _VARIABLES]
            marks = ",".join("?" * len(some))
            rows = connection.execute(
                f"select key, value, checksum, used from entries where namespace = ? and key in ({marks})",
                (namespace, *some),
            )
            for key, value, checksum, used in rows:
                if isinstance(value, bytes) and _checksum(namespace, key, value) == checksum:
                    found[key] = value
                    if used < self._today:
                        stale.append(key)
        self._touch(namespace, stale)
        return found

    def _touch(self, namespace: str, keys: Sequence[str]) -> None:
        if keys and self._connection is not None:
            rows = [(self._today, namespace, key) for key in keys]
            with self._connection as connection:
                connection.executemany("update entries set used = ? where namespace = ? and key = ?", rows)

    def _write(self, path: Path, namespace: str, values: Mapping[str, bytes]) -> None:
        rows = [(namespace, key, data, _checksum(namespace, key, data), self._today) for key, data in values.items()]
        with self._open(path) as connection:
            connection.executemany("insert or replace into entries values (?, ?, ?, ?, ?)", rows)
        self._shrink()

    def _shrink(self) -> None:
        connection = self._connection
        if connection is None:
            return
        pages, size, free = (
            connection.execute(f"pragma {name}").fetchone()[0] for name in ("page_count", "page_size", "freelist_count")
        )
        if (pages - free) * size <= self._limit:
            return
        with connection:
            total = connection.execute("select count(*) from entries").fetchone()[0]
            connection.execute(
                "delete from entries where (namespace, key) in "
                "(select namespace, key from entries order by used, key limit ?)",
                (total // 2 + 1,),
            )

    def _open(self, path: Path) -> "sqlite3.Connection":
        if self._connection is None:
            self._connection = _connect(path)
        return self._connection

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _connect(path: Path) -> "sqlite3.Connection":
    import sqlite3

    _make_folder(path.parent)
    try:
        return _prepared(path)
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):  # locked, read-only or full: the file itself may be fine
            raise
        path.unlink(missing_ok=True)
        return _prepared(path)


def _make_folder(folder: Path) -> None:
    """A new folder tells Git to ignore it, so that nobody commits a cache by accident; an old one is left as it is."""
    if folder.is_dir():
        return
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    (folder / ".gitignore").write_text("*\n", encoding="utf-8")


def _prepared(path: Path) -> "sqlite3.Connection":
    import sqlite3

    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    connection = sqlite3.connect(path, timeout=0.5, check_same_thread=False)
    try:
        # Losing the last writes of a crash costs a parse; waiting for the disk would cost every run.
        connection.execute("pragma synchronous = off")
        if not connection.execute("select 1 from sqlite_master where name = 'entries'").fetchone():
            connection.execute("pragma journal_mode = wal")
            connection.executescript(_SCHEMA)
    except Exception:
        connection.close()
        raise
    return connection


def _checksum(namespace: str, key: str, value: bytes) -> int:
    return zlib.crc32(value, zlib.crc32(f"{namespace}\0{key}".encode()))
