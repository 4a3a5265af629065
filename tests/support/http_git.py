"""A Git server over HTTP in a thread: `git http-backend` behind Python's own server, with faults to order."""

import base64
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit


@dataclass
class HttpGit:
    """What the server does and what it saw.

    `authorization` is the one header value that is let in, None for anyone. `delay` in seconds is added to each
    request. `drop_after_push` closes the connection of a push that was carried out, before answering.
    """

    root: Path
    authorization: str | None = None
    delay: float = 0.0
    drop_after_push: bool = False
    requests: list[str] = field(default_factory=list)
    authorizations: list[list[str]] = field(default_factory=list)
    address: str = ""

    def url(self, repository: str) -> str:
        """The URL of a bare repository below the root."""
        return f"{self.address}/{repository}"

    def round_trips(self) -> int:
        """How many conversations began: each starts by asking for the refs."""
        return sum("/info/refs" in each for each in self.requests)


def basic(user: str, password: str) -> str:
    """The header value of basic authentication."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


@contextmanager
def serve(root: Path, environ: Mapping[str, str], authorization: str | None = None) -> Iterator[HttpGit]:
    """Serves the bare repositories below `root` on a free port."""
    state = HttpGit(root, authorization)
    server = _Server(state, environ)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    state.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, state: HttpGit, environ: Mapping[str, str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.state = state
        self.environ = environ


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self._body())

    def log_message(self, format: str, *arguments: object) -> None:
        return

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        chunks = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _answer(self, body: bytes) -> None:
        state = self.server.state
        given = self.headers.get_all("Authorization") or []
        state.requests.append(f"{self.command} {self.path}")
        state.authorizations.append(given)
        time.sleep(state.delay)
        if state.authorization is not None and given != [state.authorization]:
            self._send(401, [("WWW-Authenticate", 'Basic realm="git"')], b"")
            return
        output = run_http_backend(self._cgi(body), body)
        if state.drop_after_push and self.path.endswith("/git-receive-pack"):
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        head, _, content = output.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line]
        status = next((int(value.split()[0]) for name, value in fields if name == "Status"), 200)
        self._send(status, [(name, value) for name, value in fields if name != "Status"], content)

    def _send(self, status: int, fields: list[tuple[str, str]], content: bytes) -> None:
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _cgi(self, body: bytes) -> dict[str, str]:
        parts = urlsplit(self.path)
        return {
            **self.server.environ,
            "GIT_PROJECT_ROOT": str(self.server.state.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": parts.path,
            "QUERY_STRING": parts.query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REMOTE_USER": "tester",
            "REMOTE_ADDR": "127.0.0.1",
        }


def run_http_backend(environ: Mapping[str, str], body: bytes) -> bytes:
    """What Git's own HTTP server program answers to one request."""
    return subprocess.run(["git", "http-backend"], input=body, env=environ, capture_output=True, check=False).stdout
