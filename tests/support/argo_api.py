"""A cluster with an Argo CD on the loopback interface: as much of the Kubernetes API as kubectl needs to get
Applications and to wait until they are gone.

Applications are held to what Argo CD's own definition of the resource requires (manifests/crds/application-crd.yaml of
argoproj/argo-cd, Apache-2.0): `APPLICATION` has the fields of it that nyl writes.
"""

import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jsonschema
import yaml

CONTEXT = "argo"
"""The context of the kubeconfig."""
_API = "/apis/argoproj.io/v1alpha1"
_TEXT = {"type": "string"}
_TRUTH = {"type": "boolean"}
_TEXTS = {"type": "object", "additionalProperties": _TEXT}
APPLICATION: Mapping[str, Any] = {
    "type": "object",
    "required": ["metadata", "spec"],
    "properties": {
        "apiVersion": {"const": "argoproj.io/v1alpha1"},
        "kind": {"const": "Application"},
        "metadata": {
            "type": "object",
            "required": ["name", "namespace"],
            "properties": {
                "name": {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$", "maxLength": 253},
                "labels": _TEXTS,
                "annotations": _TEXTS,
                "finalizers": {"type": "array", "items": _TEXT},
            },
        },
        "spec": {
            "type": "object",
            "required": ["destination", "project"],
            "properties": {
                "project": _TEXT,
                "destination": {"type": "object", "properties": {"server": _TEXT, "name": _TEXT, "namespace": _TEXT}},
                "source": {
                    "type": "object",
                    "required": ["repoURL"],
                    "properties": {"repoURL": _TEXT, "path": _TEXT, "targetRevision": _TEXT},
                },
                "syncPolicy": {
                    "type": "object",
                    "properties": {
                        "automated": {
                            "type": "object",
                            "properties": {"prune": _TRUTH, "selfHeal": _TRUTH, "enabled": _TRUTH},
                        },
                        "syncOptions": {"type": "array", "items": _TEXT},
                    },
                },
            },
        },
    },
}


@dataclass
class Cluster:
    """What the cluster holds, and what it was asked."""

    applications: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    """By namespace and name."""
    forbidden: set[str] = field(default_factory=set)
    """Verbs that nobody may use: get, list, watch."""
    garbage: bool = False
    """Whether it answers with what is no object."""
    requests: list[str] = field(default_factory=list)
    change: threading.Condition = field(default_factory=threading.Condition)

    def bring(self, texts: Iterable[str]) -> None:
        """Creates the Applications of some manifests, which must be as their definition has them."""
        for text in texts:
            document = yaml.safe_load(text)
            jsonschema.Draft202012Validator(APPLICATION).validate(document)
            metadata = document["metadata"]
            self.applications[metadata["namespace"], metadata["name"]] = document

    def delete(self, *names: str) -> None:
        """Removes Applications of any namespace, all without names, and tells those who watch."""
        with self.change:
            for key in [each for each in self.applications if not names or each[1] in names]:
                del self.applications[key]
            self.change.notify_all()


@contextmanager
def argo_cluster(kubeconfig: Path) -> Iterator[Cluster]:
    """A cluster that answers for as long as the block runs; writes a kubeconfig with its context."""
    cluster = Cluster()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"cluster": cluster}))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    write_kubeconfig(kubeconfig, server.server_address[1])
    try:
        yield cluster
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def write_kubeconfig(path: Path, port: int) -> None:
    """A kubeconfig whose context CONTEXT is a server on a port of this machine."""
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": CONTEXT, "cluster": {"server": f"http://127.0.0.1:{port}"}}],
        "users": [{"name": CONTEXT, "user": {}}],
        "contexts": [{"name": CONTEXT, "context": {"cluster": CONTEXT, "user": CONTEXT}}],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(document))


class _Handler(BaseHTTPRequestHandler):
    cluster: Cluster
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.cluster.requests.append(self.path)
        address = urlsplit(self.path)
        query = parse_qs(address.query)
        if address.path in _DISCOVERY:
            self._answer(200, _DISCOVERY[address.path])
        elif not address.path.startswith(f"{_API}/namespaces/"):
            self._answer(404, _status(404, "NotFound", "there is no such path"))
        else:
            namespace, _, name = address.path.removeprefix(f"{_API}/namespaces/").partition("/applications")
            self._applications(namespace, name.strip("/"), {key: each[0] for key, each in query.items()})

    def _applications(self, namespace: str, name: str, query: Mapping[str, str]) -> None:
        verb = "get" if name else "watch" if query.get("watch") in ("true", "1") else "list"
        if verb in self.cluster.forbidden:
            message = f'applications.argoproj.io is forbidden: User "deployer" cannot {verb} resource "applications"'
            self._answer(403, _status(403, "Forbidden", message))
        elif self.cluster.garbage:
            self._answer(200, {"kind": "Application", "apiVersion": "argoproj.io/v1alpha1"})
        elif name:
            found = self.cluster.applications.get((namespace, name))
            missing = _status(404, "NotFound", f'applications.argoproj.io "{name}" not found')
            self._answer(200 if found else 404, found or missing)
        else:
            wanted = query.get("fieldSelector", "").removeprefix("metadata.name=")
            if verb == "list":
                self._list(namespace, wanted)
            else:
                self._watch(namespace, wanted)

    def _list(self, namespace: str, wanted: str) -> None:
        items = [
            each for key, each in self.cluster.applications.items() if key[0] == namespace and wanted in ("", key[1])
        ]
        document = {"kind": "ApplicationList", "apiVersion": "argoproj.io/v1alpha1", "items": items}
        self._answer(200, {**document, "metadata": {"resourceVersion": "1"}})

    def _watch(self, namespace: str, wanted: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.flush()
        with self.cluster.change:
            was = self.cluster.applications.get((namespace, wanted))
            gone = self.cluster.change.wait_for(lambda: (namespace, wanted) not in self.cluster.applications, 20)
        if gone:
            event = {"type": "DELETED", "object": was or {}}
            self.wfile.write(json.dumps(event).encode() + b"\n")
        self.close_connection = True

    def _answer(self, status: int, document: Mapping[str, Any]) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


_GROUP_VERSION = {"groupVersion": "argoproj.io/v1alpha1", "version": "v1alpha1"}
_GROUP = {"name": "argoproj.io", "versions": [_GROUP_VERSION], "preferredVersion": _GROUP_VERSION}
_DISCOVERY: Mapping[str, Mapping[str, Any]] = {
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": [_GROUP]},
    "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": []},
    _API: {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": "argoproj.io/v1alpha1",
        "resources": [
            {
                "name": "applications",
                "singularName": "application",
                "namespaced": True,
                "kind": "Application",
                "verbs": ["get", "list", "watch"],
            }
        ],
    },
}


def _status(code: int, reason: str, message: str) -> dict[str, Any]:
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "reason": reason,
        "message": message,
        "code": code,
    }
