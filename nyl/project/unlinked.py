"""Where nyl writes files of a working tree: into it, and never through a symlink to elsewhere."""

from pathlib import Path

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError


def check_unlinked(root: Path, name: str | Path, fix: str) -> None:
    """Raises NYL-PATH-REFUSED for a file below a folder that is a symlink, or that lies outside through one."""
    path = root / name
    if path.is_symlink() or not path.parent.resolve().is_relative_to(root.resolve()):
        message = f"{name} is reached through a symlink, which nyl does not write through."
        raise NylError(Code.PATH_REFUSED, message, fix, location=Location(str(name)))
