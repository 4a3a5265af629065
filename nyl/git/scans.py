"""What lies below a folder, precisely enough to tell whether anything was touched since."""

import hashlib
import json
import os
import shutil
import stat
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from nyl.core.dataclass import dataclass

TICK_NS = 20_000_000
"""Within one tick of the kernel's clock a second change leaves no trace in a file's times."""

_COARSE_TICK_NS = 2_100_000_000
_COARSE = 1_000_000_000


class Stamp(NamedTuple):
    """What the file system says of one path. Folders have their mode only: their times follow their contents."""

    mode: int
    size: int = 0
    modified: int = 0
    changed: int = 0
    inode: int = 0

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, not a link to one."""
        return stat.S_ISDIR(self.mode)


@dataclass(frozen=True)
class Scan:
    """All paths below a folder, relative to it, and digests of the files that were only just written."""

    stamps: dict[str, Stamp]
    fresh: dict[str, bytes]

    def packed(self) -> bytes:
        """The same in little memory: a few bytes a path, where the scan itself takes hundreds."""
        fresh = {path: each.hex() for path, each in self.fresh.items()}
        return zlib.compress(json.dumps([self.stamps, fresh], separators=(",", ":")).encode(), level=1)


def unpacked(data: bytes) -> Scan:
    """The scan that `packed` made smaller."""
    stamps, fresh = json.loads(zlib.decompress(data))
    return Scan(
        {path: Stamp(*each) for path, each in stamps.items()},
        {path: bytes.fromhex(each) for path, each in fresh.items()},
    )


def scan(root: Path, now_ns: int) -> Scan:
    """Looks at everything below `root`. `now_ns` is the file system's time, as `file_time` gives it."""
    stamps: dict[str, Stamp] = {}
    _collect(str(root), "", stamps)
    tick = _COARSE_TICK_NS if all(each.changed % _COARSE == 0 for each in stamps.values()) else TICK_NS
    fresh = {path: digest(root / path) for path, each in stamps.items() if each.changed >= now_ns - tick}
    return Scan(stamps, fresh)


def file_time(probe: Path) -> int:
    """The time that the file system gives to a change now, in nanoseconds. Writes the file `probe`."""
    probe.write_bytes(b"")
    return probe.stat().st_ctime_ns


def digest(path: Path) -> bytes:
    """A digest of a file's content or a link's target; a constant for anything else."""
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return os.fsencode(path.readlink())
    if not stat.S_ISREG(mode):
        return b""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def remove(path: Path) -> None:
    """Removes a file, link or folder with all that is in it, also where permissions were taken away.

    Raises OSError when that is impossible.
    """
    if stat.S_ISDIR(path.lstat().st_mode):
        path.chmod(0o700)
        shutil.rmtree(path, onerror=_forced)
        return
    try:
        path.unlink()
    except PermissionError:
        path.parent.chmod(0o700)
        path.unlink()


def _collect(folder: str, prefix: str, stamps: dict[str, Stamp]) -> None:
    with _opened(folder) as entries:
        for entry in entries:
            path = prefix + entry.name
            found = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(found.st_mode):
                stamps[path] = Stamp(found.st_mode)
                _collect(entry.path, path + "/", stamps)
            else:
                stamps[path] = Stamp(found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def _opened(folder: str) -> "os._ScandirIterator[str]":
    try:
        return os.scandir(folder)
    except PermissionError:
        Path(folder).chmod(0o700)
        return os.scandir(folder)


def _forced(operation: Callable[..., Any], path: str, _: object) -> None:
    # The parent may forbid removing it, or the folder itself listing it.
    Path(path).parent.chmod(0o700)
    if Path(path).is_dir() and not Path(path).is_symlink():
        Path(path).chmod(0o700)
        shutil.rmtree(path)
    else:
        Path(path).unlink()
