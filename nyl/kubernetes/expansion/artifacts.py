"""Files that come from elsewhere: fetched once, kept by what names them, and never half."""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError

CHART = "@chart/"
"""Begins the key of a packed chart; its reference follows."""
MANIFEST = "@manifest/"
"""Begins the key of the file of a RemoteManifest; its URL, `@sha256:` and its digest follow."""
TREE = "@tree/"
"""Begins the key of a folder of another repository: `<url>@<commit>/<path>` follows."""
FILE = "@file/"
"""Begins the key of a file of another repository that is in no such folder."""

_TITLES = {CHART: "the chart", MANIFEST: "the file", "@git/": "the file", FILE: "the file", TREE: "the folder"}
_DIGITS = 64


class Artifacts(Protocol):
    """Gives the bytes of files that come from elsewhere. Safe to use from several threads."""

    def digest(self, key: str) -> str | None:
        """Hex SHA-256 of what `read` would give; None where it would fetch, fail or have to look."""

    def read(self, key: str, fetch: Callable[[], bytes]) -> bytes:
        """The bytes of what has a key: known ones, or what `fetch` brings. Raises NylError when they cannot be had."""


class CachedArtifacts:
    """Keeps charts and remote manifests below a folder of the cache. What is damaged there counts as not there.

    What is of Git repositories is fetched each time: their mirrors keep it.
    """

    def __init__(self, folder: Path, *, offline: bool = False, refresh: bool = False) -> None:
        """`offline` fetches nothing; `refresh` fetches everything once more."""
        self._folder = folder
        self._offline = offline
        self._refresh = refresh

    def digest(self, key: str) -> str | None:
        """The digest of what is kept, and is not to be fetched once more."""
        if not self._is_kept(key) or (self._refresh and not self._offline):
            return None
        try:
            with self._path(key).open("rb") as file:
                return file.read(_DIGITS).decode("ascii", "replace")
        except OSError:
            return None

    def read(self, key: str, fetch: Callable[[], bytes]) -> bytes:
        """The bytes as they are kept, or fetched and kept. Raises NYL-DOWNLOAD-FAILED offline."""
        if not self._is_kept(key):
            return fetch()
        path = self._path(key)
        known = _read(path) if not self._refresh or self._offline else None
        if known is not None:
            return known
        if self._offline:
            message = f"{title_of(key)} is not in the cache, and nothing is fetched offline."
            fix = "run the command without --offline once, or take it into the project with `nyl vendor`"
            raise NylError(Code.DOWNLOAD_FAILED, message, fix)
        data = fetch()
        _write(path, data)
        return data

    def _path(self, key: str) -> Path:
        return self._folder / hashlib.sha256(key.encode()).hexdigest()

    @staticmethod
    def _is_kept(key: str) -> bool:
        return key.startswith((CHART, MANIFEST))


def manifest_key(url: str, sha256: str) -> str:
    """The key of the file of a RemoteManifest."""
    return f"{MANIFEST}{url}@sha256:{sha256}"


def title_of(key: str) -> str:
    """What messages call the file that has a key, such as `the chart https://charts.example.com#web@1.2.3`."""
    for start, what in _TITLES.items():
        if key.startswith(start):
            return f"{what} {key.removeprefix(start)}"
    return key


def _read(path: Path) -> bytes | None:
    try:
        content = path.read_bytes()
    except OSError:
        return None
    digest, data = content[:_DIGITS], content[_DIGITS + 1 :]
    return data if hashlib.sha256(data).hexdigest().encode() == digest else None


def _write(path: Path, data: bytes) -> None:
    """Keeps a file with its digest before it; a cache that cannot be written is no error."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=".")
        with os.fdopen(descriptor, "wb") as file:
            file.write(hashlib.sha256(data).hexdigest().encode() + b"\n" + data)
        Path(draft).replace(path)
    except OSError:
        return
