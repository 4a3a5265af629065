"""The two ways in which a Git child process is started."""

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from subprocess import PIPE, Popen  # noqa: TID251 -- every Git is started here
from typing import TypeAlias, cast

Process: TypeAlias = "Popen[bytes]"
"""A running Git."""

Start = Callable[[Sequence[str], Path, Mapping[str, str], frozenset[str]], Process]
"""Starts Git with arguments, in a folder, with variables; the last are names that Git must not inherit.

Raises OSError when there is no Git to start.
"""

_import_lock = threading.Lock()


def start_at_once(arguments: Sequence[str], cwd: Path, variables: Mapping[str, str], _unset: frozenset[str]) -> Process:
    """Git itself: for what every command asks, which takes less time than the import of GitPython."""
    return Popen(
        ["git", *arguments], cwd=cwd, env=variables, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True
    )


def start_with_gitpython(
    arguments: Sequence[str], cwd: Path, variables: Mapping[str, str], unset: frozenset[str]
) -> Process:
    """Git through GitPython: for what is asked of a remote once."""
    # Importing GitPython runs `git version`, so a missing git is an ImportError.
    with _import_lock:
        try:
            from git.cmd import Git
            from git.exc import GitCommandNotFound
        except ImportError as error:
            raise FileNotFoundError(str(error).strip().splitlines()[0].rstrip(".")) from error
    # GitPython adds to the variables of this process.
    without = [option for name in sorted(unset) for option in ("-u", name)]
    command = [*(["env", *without] if without else []), "git", *arguments]
    try:
        handle = Git(str(cwd)).execute(
            command, as_process=True, istream=PIPE, env=dict(variables), start_new_session=True
        )
    except GitCommandNotFound as error:
        raise FileNotFoundError(str(error)) from error
    # The handle would end the process when it is collected; from here on we see to that.
    process = handle.proc
    handle.proc = None
    return cast(Process, process)
