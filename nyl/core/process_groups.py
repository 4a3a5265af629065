"""Process groups of tools: signalling them, and telling whether somebody is left in one."""

import os
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")


def signal_group(group: int, number: int) -> None:
    """Sends a signal to every process of a group; a group that is gone, or not ours any more, is left alone."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def group_is_alive(group: int) -> bool:
    """Whether a group has a process that still runs. Processes that only wait to be reaped do not count."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    states = [state for state, member_of in _processes() if member_of == group]
    return any(state not in ("Z", "X") for state in states) if _PROC.is_dir() else True


def _processes() -> list[tuple[str, int]]:
    """State and process group of every process of the machine; empty where there is no /proc."""
    found = []
    for process in _PROC.iterdir() if _PROC.is_dir() else ():
        if process.name.isdigit():
            with suppress(OSError):
                # After the program's name, which may hold anything: state, parent, group.
                fields = (process / "stat").read_bytes().rpartition(b")")[2].split()
                found.append((fields[0].decode(), int(fields[2])))
    return found
