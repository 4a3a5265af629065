"""A server of charts and files on the loopback interface, over HTTPS with a CA of its own: a chart repository, and a
registry that speaks as much of OCI as `helm pull` needs.
"""

import hashlib
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import trustme

from tests.support.kubernetes_charts import packed

_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_CONFIG = "application/vnd.cncf.helm.config.v1+json"
_LAYER = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"

_TLS_HANDSHAKE = b"\x16"


@dataclass
class ChartServer:
    """What the server offers, and what it was asked for."""

    url: str
    ca: Path
    """The certificate to trust."""
    files: dict[str, bytes] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    statuses: dict[str, list[int]] = field(default_factory=dict)
    """Path -> the status codes of its next answers."""
    requests: list[str] = field(default_factory=list)
    charts: list[dict[str, Any]] = field(default_factory=list)

    @property
    def environ(self) -> dict[str, str]:
        """Variables with which helm and requests trust the server."""
        return {"SSL_CERT_FILE": str(self.ca), "REQUESTS_CA_BUNDLE": str(self.ca)}

    @property
    def registry(self) -> str:
        """The registry as charts name it."""
        return self.url.replace("https://", "oci://")

    def add_chart(self, name: str, version: str, files: dict[str, str]) -> bytes:
        """Offers a chart in the repository and in the registry, below /charts; gives what is packed."""
        files = {**files, "Chart.yaml": f"apiVersion: v2\nname: {name}\nversion: {version}\n"}
        archive = packed(name, files)
        self.files[f"/{name}-{version}.tgz"] = archive
        entry = {"apiVersion": "v2", "name": name, "version": version, "urls": [f"{self.url}/{name}-{version}.tgz"]}
        self.charts.append(entry)
        entries: dict[str, Any] = {}
        for each in self.charts:
            entries.setdefault(each["name"], []).append(each)
        self.files["/index.yaml"] = json.dumps({"apiVersion": "v1", "entries": entries}).encode()
        self._add_image(f"/v2/charts/{name}", name, version, archive)
        return archive

    def _add_image(self, place: str, name: str, version: str, archive: bytes) -> None:
        config = json.dumps({"name": name, "version": version, "apiVersion": "v2"}).encode()
        manifest = {
            "schemaVersion": 2,
            "mediaType": _MANIFEST,
            "config": self._blob(place, config, _CONFIG),
            "layers": [self._blob(place, archive, _LAYER)],
        }
        data = json.dumps(manifest).encode()
        self.files["/v2/"] = b"{}"
        self.files[f"{place}/tags/list"] = json.dumps({"name": f"charts/{name}", "tags": [version]}).encode()
        for reference in (version, _digest(data)):
            self.files[f"{place}/manifests/{reference}"] = data
            self.types[f"{place}/manifests/{reference}"] = _MANIFEST

    def _blob(self, place: str, data: bytes, kind: str) -> dict[str, Any]:
        self.files[f"{place}/blobs/{_digest(data)}"] = data
        return {"mediaType": kind, "digest": _digest(data), "size": len(data)}


def _digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "_Listener"

    def do_GET(self) -> None:
        offered = self.server.offered
        offered.requests.append(self.path)
        statuses = offered.statuses.get(self.path)
        body = offered.files.get(self.path)
        if self.path in offered.redirects:
            self._answer(302, b"", {"Location": offered.redirects[self.path]})
        elif statuses:
            self._answer(statuses.pop(0), b"", {})
        elif body is None:
            self._answer(404, b"", {})
        else:
            kind = offered.types.get(self.path, "application/octet-stream")
            self._answer(200, body, {"Content-Type": kind, "Docker-Content-Digest": _digest(body)})

    do_HEAD = do_GET

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Tests read `requests` instead."""


class _Listener(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, context: ssl.SSLContext, ca: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.offered = ChartServer(f"https://127.0.0.1:{self.server_address[1]}", ca)
        self._context = context

    def finish_request(self, request: Any, client_address: Any) -> None:
        # Helm 3 speaks plain HTTP to registries on the loopback interface, and Helm 4 does not.
        if request.recv(1, socket.MSG_PEEK) == _TLS_HANDSHAKE:
            request = self._context.wrap_socket(request, server_side=True)
        super().finish_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """What clients break off is no error here."""


@contextmanager
def chart_server(folder: Path) -> Iterator[ChartServer]:
    """A server that runs until the block ends; its certificate is put into a folder."""
    authority = trustme.CA()
    ca = folder / "ca.pem"
    authority.cert_pem.write_to_path(str(ca))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    listener = _Listener(context, ca)
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield listener.offered
    finally:
        listener.shutdown()
        listener.server_close()
        thread.join()
