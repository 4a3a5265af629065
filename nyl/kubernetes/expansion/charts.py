"""Finds the chart that a reference means, wherever it is, and the files of RemoteManifests."""

import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.kubernetes.expansion.archives import unpacked
from nyl.kubernetes.expansion.artifacts import CHART, Artifacts, manifest_key
from nyl.kubernetes.expansion.chart_content import CHART_FILE, ChartContent
from nyl.kubernetes.expansion.context import ExpansionProject
from nyl.kubernetes.expansion.downloads import Downloads
from nyl.kubernetes.expansion.local_charts import FoundChart, local_chart
from nyl.kubernetes.expansion.references import ChartReference


class Charts:
    """Charts and remote files. Safe to use from several threads: what several ask for is fetched once."""

    def __init__(self, artifacts: Artifacts, downloads: Downloads) -> None:
        self._artifacts = artifacts
        self._downloads = downloads
        self._known: dict[object, FoundChart] = {}
        self._locks: dict[object, threading.Lock] = {}
        self._lock = threading.Lock()

    def chart(self, reference: ChartReference, project: ExpansionProject, location: Location) -> FoundChart:
        """The chart that a reference means. Raises NylError with the place of who asks for it."""
        with _at(location):
            if not reference.is_remote:
                key: object = (reference, project.folder, project.files)
                return self._once(key, lambda: local_chart(reference, project))
            return self._once(reference, lambda: self._pulled(reference))

    def remote_file(self, url: str, sha256: str, location: Location) -> bytes:
        """The file of a RemoteManifest. Raises NYL-DOWNLOAD-CHANGED when it is not the one of the digest."""
        title = f"the file {url}"

        def fetch() -> bytes:
            data = self._downloads.file(url, title)
            _check_digest(data, sha256, title)
            return data

        with _at(location):
            data = self._artifacts.read(manifest_key(url, sha256), fetch)
            _check_digest(data, sha256, title)
            return data

    def _pulled(self, reference: ChartReference) -> FoundChart:
        key, title = f"{CHART}{reference}", f"the chart {reference}"

        def fetch() -> bytes:
            data = self._downloads.chart(reference, title)
            _unpacked(data, title)
            return data

        data = self._artifacts.read(key, fetch)
        return FoundChart(_unpacked(data, title), artifacts={key: hashlib.sha256(data).hexdigest()})

    def _once(self, key: object, find: Callable[[], FoundChart]) -> FoundChart:
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._known:
                self._known[key] = find()
            return self._known[key]


@contextmanager
def _at(location: Location) -> Iterator[None]:
    """Names a place in errors that name none."""
    try:
        yield
    except NylError as error:
        if error.diagnostic.location is not None:
            raise
        raise error.at(location) from None


def _unpacked(data: bytes, title: str) -> ChartContent:
    try:
        content = unpacked(data)
        if CHART_FILE not in content.files:
            raise ValueError(f"it holds no {CHART_FILE}")
    except ValueError as error:
        fix = "check what the repository offers under this version"
        raise NylError(Code.CHART_MISSING, f"{title} cannot be unpacked: {error}.", fix) from None
    return content


def _check_digest(data: bytes, sha256: str, title: str) -> None:
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        message = f"{title} is sha256:{found}, not sha256:{sha256}."
        raise NylError(
            Code.DOWNLOAD_CHANGED, message, f"look at what changed there, then write `digest: sha256:{found}`"
        )
