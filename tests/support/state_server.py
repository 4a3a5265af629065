"""A server on the loopback that keeps Terraform states for the backend `http`, and their locks."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class StateServer:
    """What the server has: states and locks by path, and which requests came, such as `LOCK /db`."""

    def __init__(self, port: int) -> None:
        self._address = f"http://127.0.0.1:{port}"
        self.states: dict[str, bytes] = {}
        self.locks: dict[str, Any] = {}
        self.requests: list[str] = []
        self.next_holder: dict[str, str] = {}
        """Who takes a lock as soon as it is given back; empty for nobody."""

    def backend(self, name: str) -> dict[str, str]:
        """The settings by which a module keeps its state here."""
        address = f"{self._address}/{name}"
        return {"address": address, "lock_address": address, "unlock_address": address}

    def hold(self, name: str, **facts: str) -> None:
        """Takes the lock of a state, as somebody else."""
        self.locks[f"/{name}"] = {
            "ID": "",
            "Operation": "",
            "Who": "",
            "Version": "",
            "Created": "",
            "Path": "",
            **facts,
        }


@contextmanager
def state_server() -> Iterator[StateServer]:
    """A server, for as long as the block runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.kept = kept = StateServer(server.server_port)  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield kept
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        state = self._kept().states.get(self.path)
        self._answer(404 if state is None else 200, state or b"")

    def do_POST(self) -> None:
        self._kept().states[self.path.partition("?")[0]] = self._body()
        self._answer(200)

    def do_LOCK(self) -> None:
        kept, wanted = self._kept(), self._body()
        held = kept.locks.setdefault(self.path, json.loads(wanted))
        free = held == json.loads(wanted)
        self._answer(200 if free else 423, b"" if free else json.dumps(held).encode())

    def do_UNLOCK(self) -> None:
        kept, given = self._kept(), self._body()
        held = kept.locks.get(self.path)
        if given and held and json.loads(given).get("ID") == held["ID"]:
            del kept.locks[self.path]
            if kept.next_holder:
                kept.hold(self.path.removeprefix("/"), **kept.next_holder)
        self._answer(200)

    def log_message(self, *arguments: object) -> None:
        """Says nothing: pytest shows what the test shows."""

    def _kept(self) -> StateServer:
        kept: StateServer = self.server.kept  # type: ignore[attr-defined]
        kept.requests.append(f"{self.command} {self.path.partition('?')[0]}")
        return kept

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _answer(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
