"""Finds the chart that a reference means, wherever it is, and the files of RemoteManifests."""

import hashlib
import threading
from collections.abc import Callable

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.kubernetes.expansion.archives import unpacked
from nyl.kubernetes.expansion.artifacts import Artifact, Artifacts
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
        if not reference.is_remote:
            key: object = (reference, project.folder, project.files)
            return self._once(key, lambda: local_chart(reference, project, location))
        return self._once(reference, lambda: FoundChart(self._pulled(reference, location)))

    def remote_file(self, url: str, sha256: str, title: str, location: Location) -> bytes:
        """The file of a RemoteManifest. Raises NYL-DOWNLOAD-CHANGED when it is not the one of the digest."""
        artifact = Artifact(f"@manifest/{url}@sha256:{sha256}", f"the file {url} of {title}", location)

        def fetch() -> bytes:
            data = self._downloads.file(url, artifact)
            _check_digest(data, sha256, artifact)
            return data

        data = self._artifacts.get(artifact, fetch)
        _check_digest(data, sha256, artifact)
        return data

    def _pulled(self, reference: ChartReference, location: Location) -> ChartContent:
        artifact = Artifact(f"@chart/{reference}", f"the chart {reference}", location)

        def fetch() -> bytes:
            data = self._downloads.chart(reference, artifact)
            _unpacked(data, artifact)
            return data

        return _unpacked(self._artifacts.get(artifact, fetch), artifact)

    def _once(self, key: object, find: Callable[[], FoundChart]) -> FoundChart:
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._known:
                self._known[key] = find()
            return self._known[key]


def _unpacked(data: bytes, artifact: Artifact) -> ChartContent:
    try:
        content = unpacked(data)
        if CHART_FILE not in content.files:
            raise ValueError(f"it holds no {CHART_FILE}")
    except ValueError as error:
        place = artifact.location
        message = f"{place}: {artifact.title} cannot be unpacked: {error}."
        fix = "check what the repository offers under this version"
        raise NylError(Code.CHART_MISSING, message, fix, location=place) from None
    return content


def _check_digest(data: bytes, sha256: str, artifact: Artifact) -> None:
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        place = artifact.location
        message = f"{place}: {artifact.title} is sha256:{found}, not sha256:{sha256}."
        fix = f"look at what changed there, then write `digest: sha256:{found}`"
        raise NylError(Code.DOWNLOAD_CHANGED, message, fix, location=place)
