"""Keys of the ownership index that say which inputs and state a tree was rendered from.

Follows the section Provenance of the page Release Inputs.
"""

from typing import Any

from nyl.core.canonical import digest
from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.kubernetes.resources import ReleaseAddress

RESERVED = "@"
"""Begins every key that is no path: a project file whose path begins with it fails the render."""


def check_path(path: str) -> None:
    """Refuses a file of the project whose path would be taken for one of these keys. Raises NYL-PATH-REFUSED."""
    if path.startswith(RESERVED):
        message = f"The path {path} begins with {RESERVED}, which marks what is no file in the index of a tree."
        raise NylError(Code.PATH_REFUSED, message, "rename the file or its folder", location=Location(path))


def input_key(address: ReleaseAddress, name: str) -> str:
    """The key of an effective input."""
    return f"@input/{address}/{name}"


def input_digest(value: Any) -> str:
    """Hex SHA-256 of the canonical JSON of an input's value, integers with all their digits."""
    return digest(value).removeprefix("sha256:")


def publication_key(path: str) -> str:
    """The key of a state file that was read from the commit that the publication builds on."""
    return f"@publication/{path}"


def carried_key(path: str) -> str:
    """The key of a state file that comes from a carry file."""
    return f"@carried/{path}"
