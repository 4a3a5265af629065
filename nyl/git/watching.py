"""Notices changes below a folder by inotify, where the kernel has it, so that unchanged folders need no look."""

import os
from collections.abc import Iterable
from pathlib import Path

_MODIFY = 0x2
_ATTRIB = 0x4
_CLOSE_WRITE = 0x8
_MOVED = 0x40 | 0x80
_CREATE = 0x100
_DELETE = 0x200
_SELF = 0x400 | 0x800
# Closing a file that was open for writing also tells of what was written through a memory map.
_CHANGES = _MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED | _CREATE | _DELETE | _SELF
_BUFFER = 1 << 16


class Watch:
    """Watches some folders, not what is below them. It says whether anything may have happened, never what."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def is_quiet(self) -> bool:
        """Whether nothing changed since the watch began."""
        try:
            return not os.read(self._handle, _BUFFER)
        except BlockingIOError:
            return True

    def forget(self) -> None:
        """Lets go of what happened up to now."""
        while not self.is_quiet():
            continue

    def close(self) -> None:
        """Ends the watch."""
        os.close(self._handle)


def watch(folders: Iterable[Path]) -> Watch | None:
    """A watch of all the folders; None when this machine cannot, such as when its watches are used up."""
    import ctypes

    try:
        library = ctypes.CDLL(None, use_errno=True)
        handle = library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, AttributeError):
        return None
    if handle < 0:
        return None
    for folder in folders:
        if library.inotify_add_watch(handle, os.fsencode(folder), _CHANGES) < 0:
            os.close(handle)
            return None
    return Watch(handle)


def is_reliable(folder: Path) -> bool:
    """Whether a change in this folder is noticed: some network and overlay file systems stay silent."""
    watching = watch([folder])
    if watching is None:
        return False
    try:
        probe = folder / ".nyl-probe"
        probe.write_bytes(b"")
        probe.unlink()
        return not watching.is_quiet()
    finally:
        watching.close()
