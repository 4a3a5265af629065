"""A real registry of images, which the tests of one process share, and the variables that buildah needs here."""

import atexit
import hashlib
import io
import json
import re
import subprocess
import tarfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import requests

from tests.support.repositories import kept
from tests.support.tools import buildah, docker_registry

_SECONDS = 20.0
_CONFIGURATION = """\
version: 0.1
log: {{level: info, accesslog: {{disabled: true}}}}
storage: {{filesystem: {{rootdirectory: '{folder}/storage'}}, delete: {{enabled: true}}}}
http: {{addr: '127.0.0.1:0'}}
"""
_STORE = """\
[storage]
driver = "vfs"
graphroot = "{folder}/images"
runroot = "{folder}/run"
"""
_CONFIG = "application/vnd.oci.image.config.v1+json"
_MANIFESTS = {"Accept": "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json"}


@dataclass(frozen=True)
class ImageRegistry:
    """A registry without any credentials on the loopback interface. `address` is its host and port."""

    address: str

    def digest(self, repository: str, tag: str) -> str | None:
        """The digest of what a tag, or a digest, stands for; None where there is nothing."""
        found = requests.head(self._manifest(repository, tag), headers=_MANIFESTS, timeout=_SECONDS)
        return found.headers["Docker-Content-Digest"] if found.ok else None

    def tags(self, repository: str) -> list[str]:
        """The tags of a repository, sorted."""
        found = requests.get(f"http://{self.address}/v2/{repository}/tags/list", timeout=_SECONDS)
        return sorted(found.json()["tags"] or []) if found.ok else []

    def delete(self, repository: str, digest: str) -> None:
        """Deletes an image with all its tags."""
        requests.delete(self._manifest(repository, digest), timeout=_SECONDS).raise_for_status()

    def manifest(self, repository: str, reference: str) -> dict[str, Any]:
        """The manifest or index that a tag or digest stands for."""
        found = requests.get(self._manifest(repository, reference), headers=_MANIFESTS, timeout=_SECONDS)
        found.raise_for_status()
        return dict(found.json())

    def config(self, repository: str, reference: str) -> dict[str, Any]:
        """The configuration of an image."""
        config: dict[str, Any] = json.loads(self._blob(repository, self.manifest(repository, reference)["config"]))
        return config

    def files(self, repository: str, reference: str) -> dict[str, bytes]:
        """The files of an image, of all its layers together."""
        found: dict[str, bytes] = {}
        for layer in self.manifest(repository, reference)["layers"]:
            with tarfile.open(fileobj=io.BytesIO(self._blob(repository, layer))) as archive:
                for each in archive:
                    file = archive.extractfile(each) if each.isfile() else None
                    found |= {each.name: file.read()} if file is not None else {}
        return found

    def put(self, repository: str, text: str) -> str:
        """Pushes an image without layers whose configuration holds a text; its digest."""
        config = json.dumps({"os": "linux", "architecture": "amd64", "config": {"Labels": {"text": text}}}).encode()
        described = {"mediaType": _CONFIG, "size": len(config), "digest": _digest(config)}
        upload = requests.post(f"http://{self.address}/v2/{repository}/blobs/uploads/", timeout=_SECONDS)
        where = upload.headers["Location"]
        requests.put(where, params={"digest": described["digest"]}, data=config, timeout=_SECONDS).raise_for_status()
        kind = _MANIFESTS["Accept"].partition(",")[0]
        body = json.dumps({"schemaVersion": 2, "mediaType": kind, "config": described, "layers": []}).encode()
        url = self._manifest(repository, _digest(body))
        requests.put(url, data=body, headers={"Content-Type": kind}, timeout=_SECONDS).raise_for_status()
        return _digest(body)

    def retag(self, repository: str, tag: str, reference: str) -> None:
        """Lets a tag stand for what another reference does, as somebody else may."""
        found = requests.get(self._manifest(repository, reference), headers=_MANIFESTS, timeout=_SECONDS)
        headers = {"Content-Type": found.headers["Content-Type"]}
        requests.put(
            self._manifest(repository, tag), data=found.content, headers=headers, timeout=_SECONDS
        ).raise_for_status()

    def _blob(self, repository: str, described: Mapping[str, str]) -> bytes:
        url = f"http://{self.address}/v2/{repository}/blobs/{described['digest']}"
        return requests.get(url, timeout=_SECONDS).content

    def _manifest(self, repository: str, reference: str) -> str:
        return f"http://{self.address}/v2/{repository}/manifests/{reference}"


def _digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


@cache
def image_registry() -> ImageRegistry:
    """The registry of this process, started when it is first asked for."""
    return started(kept("registry"))


def started(folder: Path) -> ImageRegistry:
    """A registry of its own until the process ends, with a new folder. Its images are in `storage` there."""
    folder.mkdir()
    configuration, log = folder / "registry.yml", folder / "log"
    configuration.write_text(_CONFIGURATION.format(folder=folder))
    with log.open("wb") as output:
        server = subprocess.Popen(
            [docker_registry(), "serve", configuration], stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
    atexit.register(_end, server)
    return ImageRegistry(_address(log, server))


@cache
def buildah_environment() -> dict[str, str]:
    """Variables with which buildah needs no rights and no daemon, and keeps what it makes for the tests to itself."""
    buildah()
    folder = kept("buildah")
    folder.mkdir()
    settings = folder / "storage.conf"
    settings.write_text(_STORE.format(folder=folder))
    return {"STORAGE_DRIVER": "vfs", "BUILDAH_ISOLATION": "chroot", "CONTAINERS_STORAGE_CONF": str(settings)}


def _address(log: Path, server: "subprocess.Popen[bytes]") -> str:
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end and server.poll() is None:
        found = re.search(r"listening on ([\d.]+:\d+)", log.read_text())
        if found:
            return found[1]
        time.sleep(0.02)
    raise AssertionError(log.read_text())


def _end(server: "subprocess.Popen[bytes]") -> None:
    server.kill()
    server.wait()
