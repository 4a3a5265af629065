"""The snapshot of what comes from elsewhere, as the vendor folder of a source tree holds it.

`index.json` names every file by its key, with the digest of its bytes; `files/<digest>` holds them. Two keys whose
bytes are the same share a file.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError
from nyl.kubernetes.expansion.artifacts import title_of
from nyl.project.trees import WholeTree

INDEX = "index.json"
FILES = "files"
VERSION = 1

ATTRIBUTES = "* -text -diff -filter\n"
"""`.gitattributes` of the folder: Git must not change what has a digest: no line ends, and no file into a pointer."""
IGNORE = "!*\n"
"""`.gitignore` of the folder: whatever patterns the project has, everything here is committed."""


@dataclass(frozen=True)
class Snapshot:
    """What was captured: key -> hex SHA-256. `folder` is from the root of the repository, and is read in `tree`."""

    tree: WholeTree
    folder: str
    entries: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, tree: WholeTree, folder: str) -> "Snapshot":
        """The snapshot in a folder of a tree; an empty one where there is none.

        Raises NYL-VENDOR-CORRUPT for an index that is damaged or of another version.
        """
        path = f"{folder}/{INDEX}"
        entry = tree.entry(path)
        if entry is None or not entry.is_regular:
            return cls(tree, folder)
        return cls(tree, folder, decoded(tree.read_many([path])[path], path))

    def get(self, key: str) -> bytes | None:
        """The bytes of what has a key; None for what was not captured.

        Raises NYL-VENDOR-CORRUPT when they are missing or not those of the index.
        """
        digest = self.entries.get(key)
        if digest is None:
            return None
        path = f"{self.folder}/{FILES}/{digest}"
        entry = self.tree.entry(path)
        if entry is None or not entry.is_regular:
            raise _corrupt(path, f"{title_of(key)} was captured there, and the file is missing")
        data = self.tree.read_many([path])[path]
        if hashlib.sha256(data).hexdigest() != digest:
            raise _corrupt(path, f"it is not the bytes that were captured of {title_of(key)}")
        return data


def encoded(entries: Mapping[str, str]) -> bytes:
    """The index: the same entries always give the same bytes."""
    document = {"version": VERSION, "files": dict(sorted(entries.items()))}
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def decoded(data: bytes, path: str) -> dict[str, str]:
    """The entries of an index. Raises NYL-VENDOR-CORRUPT."""
    try:
        document: Any = json.loads(data)
        version, files = document["version"], document["files"]
    except (ValueError, KeyError, TypeError):
        raise _corrupt(path, "it is no index") from None
    if version != VERSION:
        raise _corrupt(path, f"it is of version {version!r}, which this nyl does not know")
    if not isinstance(files, dict) or not all(is_digest(each) for each in files.values()):
        raise _corrupt(path, "it is no index")
    return files


def is_digest(value: object) -> bool:
    """Whether a value is a digest as the index holds it, which is also the name of the file of what has it."""
    return isinstance(value, str) and len(value) == 64 and all(each in "0123456789abcdef" for each in value)


def _corrupt(path: str, why: str) -> NylError:
    return NylError(
        Code.VENDOR_CORRUPT,
        f"{path} cannot be used: {why}.",
        "run `nyl vendor --refresh`, or bring back the file from Git",
        location=Location(path),
    )
