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

    @property
    def identity(self) -> str:
        """What changes when the same key may have other bytes than before, as far as that is known; '' for never."""

    def read(self, key: str, fetch: Callable[[], bytes]) -> bytes:
        """The bytes of what has a key: known ones, or what `fetch` brings. Raises NylError when they cannot be had."""


class CachedArtifacts:
    """Keeps files below a folder of the cache. What is damaged there counts as not there."""

    def __init__(self, folder: Path, *, offline: bool = False, refresh: bool = False) -> None:
        """`offline` fetches nothing; `refresh` fetches everything once more."""
        self._folder = folder
        self._offline = offline
        self._refresh = refresh

    @property
    def identity(self) -> str:
        """Always the same: what is kept does not change by itself."""
        return ""

    def read(self, key: str, fetch: Callable[[], bytes]) -> bytes:
        """The bytes as they are kept, or fetched and kept. Raises NYL-DOWNLOAD-FAILED offline."""
        path = self._folder / hashlib.sha256(key.encode()).hexdigest()
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
