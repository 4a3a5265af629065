"""The history of an environment's state, read with plain Git and YAML: nothing of nyl's code is used here."""

import subprocess
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PARSED: dict[str, Any] = {}


@dataclass(frozen=True)
class StateCommit:
    """One commit of a state ref: what its message says, and the documents of units that it holds."""

    commit: str
    parents: tuple[str, ...]
    message: str
    units: dict[str, Any]

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The YAML between headline and trailers."""
        blocks = self.message.strip("\n").split("\n\n")
        value = _parse("\n\n".join(blocks[1:-1])) if len(blocks) > 2 else {}
        return value if isinstance(value, dict) else {}

    @cached_property
    def trailers(self) -> dict[str, str]:
        """Name -> value."""
        lines = self.message.strip("\n").split("\n\n")[-1].splitlines()
        return dict(each.split(": ", 1) for each in lines if ": " in each)

    def result(self, unit: str) -> str | None:
        """What the message says of a unit."""
        told = (self.summary.get("units") or {}).get(unit)
        return told.get("result") if isinstance(told, dict) else None


@dataclass
class History:
    """Both state refs of an environment, the oldest commit first, and the refs beside them."""

    desired: list[StateCommit]
    observed: list[StateCommit]
    coordination: dict[str, str]
    """Refs below refs/nyl/<environment>/."""
    runs: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Commit of a run or evidence ref -> path -> document, as far as asked for."""


class StateReader:
    """Reads histories of one bare repository through one `git cat-file`."""

    def __init__(self, repository: Path) -> None:
        self._repository = repository

    def history(self, environment: str = "dev") -> History:
        """Everything of one environment."""
        listed = self._git("for-each-ref", "--format=%(refname) %(objectname)", f"refs/nyl/{environment}/")
        coordination = dict(each.split(" ") for each in listed.splitlines())
        with _Objects(self._repository) as objects:
            desired = [self._commit(objects, each, "desired/units") for each in self._chain(environment, "desired")]
            observed = [self._commit(objects, each, "observed/units") for each in self._chain(environment, "observed")]
        return History(desired, observed, coordination)

    def documents(self, commit: str) -> dict[str, Any]:
        """Every YAML or JSON document of a commit, such as one of a run ref, by path."""
        with _Objects(self._repository) as objects:
            tree = objects.commit(commit)[0]
            return {path: _parsed(objects, oid) for path, oid in objects.files(tree)}

    def _chain(self, environment: str, name: str) -> list[str]:
        ref = f"refs/heads/nyl/{environment}/{name}"
        return self._git("rev-list", "--first-parent", "--reverse", ref).split()

    def _commit(self, objects: "_Objects", commit: str, folder: str) -> StateCommit:
        tree, parents, message = objects.commit(commit)
        found = {}
        for path, oid in objects.files(tree):
            name = path.removeprefix(folder + "/").removesuffix(".yaml")
            if path.startswith(folder + "/") and "/" not in name:
                found[name] = _parsed(objects, oid)
        return StateCommit(commit, parents, message, found)

    def _git(self, *arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", str(self._repository), *arguments], capture_output=True, text=True, check=True
        ).stdout


class _Objects:
    """Objects of a repository, through one child process."""

    def __init__(self, repository: Path) -> None:
        self._process = subprocess.Popen(
            ["git", "-C", str(repository), "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def __enter__(self) -> "_Objects":
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def read(self, oid: str) -> bytes:
        """The content of one object."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(oid.encode() + b"\n")
        self._process.stdin.flush()
        header = self._process.stdout.readline().split()
        assert len(header) == 3, f"{oid}: {header!r}"
        data = self._process.stdout.read(int(header[2]))
        self._process.stdout.read(1)
        return data

    def commit(self, oid: str) -> tuple[str, tuple[str, ...], str]:
        """Tree, parents and message of a commit."""
        head, _, message = self.read(oid).decode().partition("\n\n")
        fields = [each.split(" ", 1) for each in head.splitlines() if " " in each]
        parents = tuple(value for name, value in fields if name == "parent")
        return next(value for name, value in fields if name == "tree"), parents, message

    def files(self, tree: str, folder: str = "") -> list[tuple[str, str]]:
        """Path and id of every file."""
        found, data = [], self.read(tree)
        width = len(tree) // 2
        while data:
            head, _, rest = data.partition(b"\0")
            mode, name = head.decode().split(" ", 1)
            oid, data = rest[:width].hex(), rest[width:]
            path = f"{folder}{name}"
            found += self.files(oid, f"{path}/") if mode == "40000" else [(path, oid)]
        return found


def _parsed(objects: _Objects, oid: str) -> Any:
    if oid not in _PARSED:
        _PARSED[oid] = _parse(objects.read(oid).decode())
    return _PARSED[oid]


def _parse(text: str) -> Any:
    return yaml.load(text, Loader=_LOADER)
