"""A front before a registry of images, which asks for logins, refuses and counts."""

import base64
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import requests

from tests.support.image_registry import ImageRegistry

TOKEN = "a-bearer-token-for-tests"


@dataclass
class RegistryFront:
    """What stands before a registry: `host` is what clients are told."""

    host: str
    behind: ImageRegistry
    users: dict[str, str] = field(default_factory=dict)
    """User -> password. With any, every request needs a login."""
    readers: set[str] = field(default_factory=set)
    """Users that may not push."""
    bearer: bool = False
    """Whether logins are exchanged for tokens."""
    immutable: bool = False
    """Whether tags that exist cannot be set, to the same image neither."""
    before: Callable[[str, str], int | None] | None = None
    """Is asked about every method and path; a status code is the answer."""
    bodies: dict[str, bytes] = field(default_factory=dict)
    """What is answered to methods and paths, with status code 200."""
    breaks_off: set[str] = field(default_factory=set)
    """Methods and paths of which only half of the answer comes."""
    realm: str = ""
    """Where tokens are had, if not here."""
    uploads: str = ""
    """Where uploads are said to go on, if not here."""
    seen: list[str] = field(default_factory=list)
    """Methods and paths that came past the login."""

    def pushes(self) -> list[str]:
        """The manifests that were put, by their tags or digests."""
        return [each.rpartition("/")[2] for each in self.seen if re.match(r"PUT .*/manifests/", each)]


@contextmanager
def registry_front(behind: ImageRegistry) -> Iterator[RegistryFront]:
    """A front before a registry."""
    server = _Server(("127.0.0.1", 0), _Handler)
    front = RegistryFront(f"127.0.0.1:{server.server_address[1]}", behind)
    server.RequestHandlerClass = type("_FrontHandler", (_Handler,), {"front": front})
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield front
    finally:
        server.shutdown()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Says nothing of clients that went away."""


class _Handler(BaseHTTPRequestHandler):
    front: RegistryFront
    protocol_version = "HTTP/1.1"

    def _handle(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)) if not self._chunked() else self._chunks()
        path = urlsplit(self.path).path
        if f"{self.command} {path}" in self.front.bodies:
            self._answer(200, self.front.bodies[f"{self.command} {path}"], {})
            return
        if path == "/token":
            self._token()
            return
        status = self._refusal(path)
        if status is not None:
            self._answer(status, b'{"errors":[{"code":"REFUSED","message":"not like this"}]}', self._challenge(status))
            return
        self.front.seen.append(f"{self.command} {path}")
        headers = {name: value for name, value in self.headers.items() if name not in ("Host", "Authorization")}
        headers = {
            name: value for name, value in headers.items() if name not in ("Content-Length", "Transfer-Encoding")
        }
        answer = requests.request(
            self.command,
            f"http://{self.front.behind.address}{self.path}",
            data=body,
            headers={**headers, "Accept-Encoding": "identity"},
            allow_redirects=False,
            timeout=30,
        )
        given = {
            name: value.replace(self.front.behind.address, self.front.host)
            for name, value in answer.headers.items()
            if name.lower() not in ("connection", "content-length", "transfer-encoding", "date")
        }
        if self.command == "POST" and self.front.uploads:
            given["Location"] = self.front.uploads
        self._answer(answer.status_code, answer.content, given, answer.headers.get("Content-Length"))

    do_GET = do_HEAD = do_PUT = do_POST = do_PATCH = do_DELETE = _handle

    def _refusal(self, path: str) -> int | None:
        front = self.front
        status = front.before(self.command, path) if front.before else None
        if status is not None:
            return status
        user = self._user()
        if front.users and user is None:
            return 401
        if user in front.readers and self.command != "GET" and self.command != "HEAD":
            return 403
        tagged = re.fullmatch(r"/v2/(.+)/manifests/([^:]+)", path)
        if self.command == "PUT" and front.immutable and tagged and front.behind.digest(tagged[1], tagged[2]):
            return 412
        return None

    def _challenge(self, status: int) -> dict[str, str]:
        if status != 401:
            return {}
        if not self.front.bearer:
            return {"WWW-Authenticate": 'Basic realm="tests"'}
        realm = self.front.realm or f"http://{self.front.host}/token"
        return {"WWW-Authenticate": f'Bearer realm="{realm}",service="tests, all of them"'}

    def _user(self) -> str | None:
        scheme, _, value = self.headers.get("Authorization", "").partition(" ")
        if self.front.bearer and urlsplit(self.path).path != "/token":
            return value.removeprefix(f"{TOKEN}-") if scheme == "Bearer" and value.startswith(TOKEN) else None
        user, _, password = base64.b64decode(value).decode().partition(":") if scheme == "Basic" else ("", "", "")
        return user if user and self.front.users.get(user) == password else None

    def _token(self) -> None:
        asked = parse_qs(urlsplit(self.path).query)
        user = self._user()
        self.front.seen.append(f"TOKEN {asked.get('scope', [''])[0]}")
        if user is None:
            self._answer(401, b"{}", {})
        else:
            self._answer(200, json.dumps({"token": f"{TOKEN}-{user}"}).encode(), {})

    def _answer(self, status: int, body: bytes, headers: dict[str, str], length: str | None = None) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", length or str(len(body)))
        self.end_headers()
        if f"{self.command} {urlsplit(self.path).path}" in self.front.breaks_off:
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
        elif self.command != "HEAD":
            self.wfile.write(body)

    def _chunked(self) -> bool:
        return "chunked" in self.headers.get("Transfer-Encoding", "")

    def _chunks(self) -> bytes:
        data = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def log_message(self, *_: object) -> None:
        """Says nothing."""
