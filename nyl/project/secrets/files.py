"""Secrets from a YAML or JSON file that Git ignores."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from nyl.project.secrets.values import secret_values, unavailable

if TYPE_CHECKING:
    from nyl.git.repository import Repository


def read_file(path: Path, repository: "Repository") -> dict[str, str]:
    """The secrets of a file. Raises NYL-SECRET-UNAVAILABLE when it is missing, unreadable or not ignored by Git."""
    if _could_be_committed(path, repository):
        raise unavailable(
            f"Git does not ignore {path}, so that a commit could publish it",
            f"add {path.name} to .gitignore; if it is tracked, also run `git rm --cached -- {shlex.quote(path.name)}`",
        )
    try:
        data = path.read_bytes()
    except OSError as error:
        fix = "create the file, or correct `file` below [secrets] in nyl.toml"
        raise unavailable(f"{path} cannot be read ({error.strerror or error})", fix) from None
    return secret_values(data, str(path))


def _could_be_committed(path: Path, repository: "Repository") -> bool:
    root = repository.root
    if root is None or not path.resolve().is_relative_to(root.resolve()):
        return False
    return repository.git("check-ignore", "-q", "--", str(path.absolute()), cwd=root).code != 0
