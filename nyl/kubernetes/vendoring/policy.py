"""When the snapshot is used and when something is fetched, and the collecting of what a snapshot is to hold."""

import hashlib
import threading
from collections.abc import Callable
from dataclasses import field

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.kubernetes.expansion.artifacts import Artifacts, title_of
from nyl.kubernetes.vendoring.snapshot import Snapshot


@dataclass(frozen=True)
class Direct:
    """Brings everything itself: without a cache and without a snapshot."""

    def digest(self, key: str) -> str | None:
        """Nothing is known."""
        return None

    def read(self, key: str, fetch: Callable[[], bytes]) -> bytes:
        """What `fetch` brings."""
        return fetch()


@dataclass(frozen=True)
class Vendored:
    """Files as a `[vendor] mode` that uses the snapshot wants them: from there, or from `elsewhere`."""

    snapshot: Snapshot
    elsewhere: Artifacts | None
    """None where nothing but the snapshot is allowed."""

    def digest(self, key: str) -> str | None:
        """The digest of what was captured, or of what is elsewhere where the mode allows that."""
        captured = self.snapshot.entries.get(key)
        return captured if captured or self.elsewhere is None else self.elsewhere.digest(key)

    def read(self, key: str, fetch: Callable[[], bytes]) -> bytes:
        """The bytes of what has a key.

        Raises NYL-VENDOR-MISSING where mode `required` allows nothing but the snapshot, and NYL-VENDOR-CORRUPT.
        """
        captured = self.snapshot.get(key)
        if captured is not None:
            return captured
        if self.elsewhere is None:
            message = (
                f"{title_of(key)} is not in the vendor folder {self.snapshot.folder}, and [vendor] mode is required."
            )
            raise NylError(Code.VENDOR_MISSING, message, "run `nyl vendor` and commit what it writes")
        return self.elsewhere.read(key, fetch)


@dataclass
class Recorder:
    """Takes note of every file that comes from elsewhere while something is rendered. Safe to use from threads."""

    known: Snapshot
    """What was captured before, which is taken over."""
    elsewhere: Artifacts
    is_refreshing: bool = False
    """Whether everything is fetched once more."""
    found: dict[str, bytes] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def digest(self, key: str) -> str | None:
        """Nothing is known, so that everything is asked for."""
        return None

    def read(self, key: str, fetch: Callable[[], bytes]) -> bytes:
        """The bytes as they were captured before, or as they are elsewhere."""
        with self._lock:
            kept = self.found.get(key)
        if kept is None:
            kept = self._known(key)
            kept = self.elsewhere.read(key, fetch) if kept is None else kept
            with self._lock:
                self.found[key] = kept
        return kept

    @property
    def digests(self) -> dict[str, str]:
        """Key -> hex SHA-256 of all that was asked for."""
        with self._lock:
            return {key: hashlib.sha256(data).hexdigest() for key, data in self.found.items()}

    def _known(self, key: str) -> bytes | None:
        if self.is_refreshing:
            return None
        try:
            return self.known.get(key)
        except NylError as error:
            if error.diagnostic.code is Code.VENDOR_CORRUPT:
                return None  # what is damaged is captured anew
            raise


@dataclass
class Inspection:
    """Renders from a snapshot alone, and takes note of what it has and lacks. Safe to use from threads."""

    snapshot: Snapshot
    elsewhere: Artifacts
    """Where what is lacking may be found without the network."""
    used: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def digest(self, key: str) -> str | None:
        """Nothing is known, so that everything is looked for."""
        return None

    def read(self, key: str, fetch: Callable[[], bytes]) -> bytes:
        """The bytes of what has a key. Raises NYL-VENDOR-MISSING for what is neither captured nor in the cache."""
        captured = self.snapshot.get(key)
        with self._lock:
            (self.used if captured is not None else self.missing).add(key)
        if captured is not None:
            return captured
        try:
            return self.elsewhere.read(key, _no_fetch)
        except NylError:
            message = f"{title_of(key)} is not in the vendor folder {self.snapshot.folder}."
            raise NylError(Code.VENDOR_MISSING, message, "run `nyl vendor` and commit what it writes") from None


def _no_fetch() -> bytes:
    raise NylError(Code.VENDOR_MISSING, "Nothing is fetched here.", "run `nyl vendor`")
