"""Temporary folders that nobody needs once their process is gone, and the removal of those that a killed one left.

A folder is locked (flock) for as long as its process is alive, or a tool that works in it, which inherits the lock. Its
name tells the start of the system: where several machines share the place, each removes its own alone.
"""

import fcntl
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

from nyl.core.background import Background

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_TRIES = 3
"""How often a folder is made anew that somebody took for a left one before it was locked."""

_guard = threading.Lock()
_held: dict[Path, int] = {}
"""The folders of this process, with the descriptors that lock them."""


def make_folder(what: str) -> Path:
    """A new empty folder `nyl-<what>-…` that only this user can enter, where temporary files go.

    Its path leads through no link. Whoever makes the first one lets folders there go that killed processes left.
    Raises OSError.
    """
    boot = _boot()
    place = _real(Path(tempfile.gettempdir()))
    if boot is not None:
        swept_once(place)
    for _ in range(_TRIES if boot is not None else 0):
        folder = Path(tempfile.mkdtemp(prefix=f"nyl-{what}-{boot}-", dir=place))
        descriptor = _locked(folder)
        if descriptor is not None:
            with _guard:
                _held[folder] = descriptor
            return folder
        shutil.rmtree(folder, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"nyl-{what}-", dir=place))  # without locks nobody else removes it


def drop_folder(folder: Path) -> None:
    """Removes such a folder with whatever tools left in it. What cannot be deleted stays."""
    try:
        remove_tree(folder)
    finally:
        with _guard:
            descriptor = _held.pop(folder, None)
        if descriptor is not None:
            os.close(descriptor)


def remove_tree(folder: Path) -> None:
    """Removes a folder, also what in it may not be written to. What cannot be deleted stays."""
    shutil.rmtree(folder, onerror=partial(_unlock_and_retry, folder))


@contextmanager
def scratch_folder(what: str) -> Iterator[Path]:
    """Such a folder for as long as the block runs."""
    folder = make_folder(what)
    try:
        yield folder
    finally:
        drop_folder(folder)


def locks_around(*paths: Path) -> tuple[int, ...]:
    """The descriptors of the locks of those folders that some paths lie in, for a tool that works there."""
    places = [_real(path) for path in paths]
    with _guard:
        return tuple(fd for folder, fd in _held.items() if any(place.is_relative_to(folder) for place in places))


def sweep(place: Path) -> None:
    """Removes the folders of this user in a place that neither their process nor a tool of it needs any more."""
    left = re.compile(rf"nyl-[a-z]+-{_boot()}-[a-z0-9_]+")
    with suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if left.fullmatch(entry.name):
                _remove_left(Path(entry.path))


@cache
def swept_once(place: Path) -> Background[None]:
    """The one such removal of this process in a place, which goes on beside everything else."""
    return Background(lambda: sweep(place))


def _remove_left(folder: Path) -> None:
    with suppress(OSError):
        if folder.lstat().st_uid != os.getuid():
            return
        descriptor = _locked(folder)
        if descriptor is not None:
            try:
                remove_tree(folder)
            finally:
                os.close(descriptor)


def _locked(folder: Path) -> int | None:
    """The descriptor that locks a folder; None where somebody else has it, it is gone, or there are no locks."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), folder.lstat()):
            return descriptor
    os.close(descriptor)
    return None


def _real(path: Path) -> Path:
    """Where a path leads: the same folder can be named through several links."""
    return Path(os.path.realpath(path))


@cache
def _boot() -> str | None:
    """What tells this start of this machine from others; None where the system does not say."""
    try:
        return _BOOT_ID.read_text().strip().replace("-", "")
    except OSError:
        return None


def _unlock_and_retry(top: Path, remove: Callable[[str], Any], path: str, _error: object) -> None:
    """Tools leave folders that may not be written to, such as Go's module cache. What `top` lies in is of others."""
    with suppress(OSError):
        if Path(path) != top:
            Path(path).parent.chmod(0o700)
        if remove in (os.unlink, os.rmdir):
            remove(path)
        else:
            Path(path).chmod(0o700)
            shutil.rmtree(path, ignore_errors=True)
