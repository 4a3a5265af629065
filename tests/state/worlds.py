"""Real repositories with state in them: a bare remote and as many runners as a test wants, each with its own clone."""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache
from pathlib import Path

from nyl.core.cache import Cache
from nyl.core.clock import Instant
from nyl.core.ids import new_id
from nyl.git.commits import CommitWriter
from nyl.git.config import Identity
from nyl.git.embedded import EmbeddedRemote
from nyl.git.objects import ObjectReader
from nyl.git.process import GitCalls
from nyl.git.remotes import Remote
from nyl.git.repository import Repository
from nyl.project.resources import StateLocation
from nyl.state.changes import Transition
from nyl.state.coordination_documents import Checkpoint
from nyl.state.documents import (
    Condition,
    ConditionState,
    DesiredUnit,
    EnvironmentRecord,
    InputFile,
    InputRecord,
    ObservedUnit,
    Provenance,
    Receipt,
    UnitIdentity,
)
from nyl.state.initializing import Founder
from nyl.state.lifecycles import LifecycleState
from nyl.state.session import Session
from nyl.state.store import StateParts, StateStore
from nyl.state.taking import RunRequest
from tests.support.environment import QUIET_GIT
from tests.support.repositories import kept, new_bare_repository, new_repository

SOURCE = "8400718ac2236aa6b71cd5a9c43d4ddd94545257"
KEY = "sha256:6916707da65148797708b9f4754dbf1e9fe43eb229a2a6e5db09b933c3b6611f"
START = Instant.parse("2026-10-25T13:05:12.386099409Z")
IDENTITY = Identity("Alice Example", "alice@example.com")
TERM = timedelta(minutes=40)
_URL = "../origin.git"
"""The remote as every runner calls it, wherever the world is: what is remembered of a remote goes by its URL."""

LOCATION = StateLocation(desired_ref="refs/heads/nyl/dev/desired", observed_ref="refs/heads/nyl/dev/observed")


@dataclass
class StillClock:
    """Time that moves only when somebody sleeps or a test says so."""

    instant: Instant = START
    on_sleep: Callable[[], None] = lambda: None
    slept: float = 0.0

    def now(self) -> Instant:
        return self.instant

    def monotonic(self) -> float:
        return self.slept

    def sleep(self, seconds: float) -> None:
        self.slept += seconds
        self.instant = self.instant + timedelta(seconds=seconds)
        self.on_sleep()


@dataclass
class Runner:
    """One clone, and the store that works in it."""

    folder: Path
    url: str | None
    environ: dict[str, str]
    location: StateLocation = LOCATION
    environment: str = "dev"
    clock: StillClock = field(default_factory=StillClock)
    calls: GitCalls = field(default_factory=GitCalls)
    told: list[str] = field(default_factory=list)
    cache: Path | None = None

    def __post_init__(self) -> None:
        self.repository = Repository.discover(self.folder, self.environ, self.clock, self.told.append, self.calls)
        remote = Remote(self.repository, self.url) if self.url else EmbeddedRemote(self.repository)
        self.parts = StateParts(
            self.repository,
            remote,
            ObjectReader(self.repository),
            CommitWriter(self.repository),
            Cache(self.cache),
            self.clock,
            self.told.append,
        )
        self.store = StateStore(self.parts, self.environment, self.location)

    def at(self, location: StateLocation, environment: str = "dev") -> "Runner":
        return replace(self, location=location, environment=environment)

    def init(self) -> "Runner":
        self.store.initialize(Founder(IDENTITY, "alice@host", "0.1.0"))
        return self

    def request(self, **fields: object) -> RunRequest:
        request = RunRequest(new_id(), "reconcile", "alice@host", IDENTITY, SOURCE, TERM)
        return replace(request, **fields)  # type: ignore[arg-type]

    def take(self, wait: timedelta | None = None) -> Session:
        return self.store.take(self.request(), wait)

    def reconcile(self, *units: str, **outputs: object) -> Session:
        """A whole run that executes some units."""
        session = self.take()
        session.commit(transition(session, *units, **outputs))
        session.release()
        return session

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        return git(self.folder, *arguments, stdin=stdin)


class World:
    """A bare remote in a temporary folder."""

    def __init__(self, folder: Path, object_format: str = "sha1") -> None:
        self.folder = folder
        self.object_format = object_format
        self.environ = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(folder),
            "GIT_CONFIG_GLOBAL": str(QUIET_GIT),
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        self.origin = folder / "origin.git"
        new_bare_repository(self.origin, object_format=object_format)

    def runner(self, name: str = "alice", **fields: object) -> Runner:
        folder = self.folder / name
        if not folder.exists():
            new_repository(folder, object_format=self.object_format)
        return Runner(folder, _URL, self.environ, **fields)  # type: ignore[arg-type]

    def initialised(self) -> Runner:
        """Alice on state that she initialised: a copy of what she does once for a test process."""
        shutil.copytree(_initialised(), self.folder, dirs_exist_ok=True)
        return self.runner("alice")

    def embedded(self) -> Runner:
        folder = new_repository(self.folder / "embedded", object_format=self.object_format)
        return Runner(folder, None, self.environ)

    def refs(self) -> dict[str, str]:
        lines = git(self.origin, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return dict(line.split(" ") for line in lines)

    def names(self) -> set[str]:
        return set(self.refs())

    def file(self, ref: str, path: str) -> str:
        return git(self.origin, "show", f"{ref}:{path}") + "\n"

    def hook(self, name: str, script: str) -> None:
        path = self.origin / "hooks" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def edit(self, ref: str, path: str, content: str | None, message: str = "Edit by hand") -> str:
        """Commits a change of one file on a ref of the remote, as a person would."""
        tip = self.refs().get(ref)
        index = {"GIT_INDEX_FILE": str(self.folder / "edit.index"), **PERSON}
        git(self.origin, "read-tree", *([tip] if tip else ["--empty"]), env=index)
        if content is None:
            nothing = f"0 {'0' * 40}\t{path}\n".encode()
            git(self.origin, "update-index", "--index-info", stdin=nothing, env=index)
        else:
            blob = git(self.origin, "hash-object", "-w", "--stdin", stdin=content.encode())
            git(self.origin, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", env=index)
        tree = git(self.origin, "write-tree", env=index)
        commit = git(self.origin, "commit-tree", tree, *(["-p", tip] if tip else []), "-m", message, env=index)
        git(self.origin, "update-ref", ref, commit)
        return commit


@cache
def _initialised() -> Path:
    folder = kept("initialised-state")
    folder.mkdir()
    World(folder).runner("alice").init()
    return folder


PERSON = {
    "GIT_AUTHOR_NAME": "Person",
    "GIT_AUTHOR_EMAIL": "person@example.com",
    "GIT_COMMITTER_NAME": "Person",
    "GIT_COMMITTER_EMAIL": "person@example.com",
}


def git(folder: Path, *arguments: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> str:
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C", **(env or {})}
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=folder, input=stdin, capture_output=True, check=False, env=environment)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}: {done.stderr.decode()}")
    return done.stdout.decode().strip()


def identity(name: str, environment: str = "dev") -> UnitIdentity:
    return UnitIdentity(environment, name, f"uid-{name}", "units.gitops.nyl/v1", "Command")


def desired(name: str, key: str = KEY, environment: str = "dev") -> DesiredUnit:
    return DesiredUnit(
        unit=identity(name, environment),
        lifecycle=LifecycleState.ACTIVE,
        source_commit=SOURCE,
        source_revision=SOURCE,
        spec={"command": ["./run.sh", "1.10"], "values": {"host": {"fromUnit": {"unit": "a", "output": "host"}}}},
        resolved_spec={"command": ["./run.sh", "1.10"], "values": {"host": "db"}},
        execution_key=key,
        inputs=InputRecord(files=(InputFile("run.sh", KEY, executable=True),), variables=("TOKEN",)),
        provenance={"/values/host": Provenance("a", "uid-a", KEY, run="01a1")},
    )


def receipt(artifacts: dict[str, str] | None = None, **outputs: object) -> Receipt:
    return Receipt(
        execution_key=KEY,
        behavior_version=1,
        run="01a1",
        read_desired=SOURCE,
        started_at=START,
        finished_at=START + timedelta(seconds=2),
        nyl_version="0.1.0",
        versions={"tool": "1.10"},
        outputs=outputs,
        artifacts=artifacts or {},
    )


def observed(name: str, environment: str = "dev", **outputs: object) -> ObservedUnit:
    return ObservedUnit(identity(name, environment), receipt(**outputs))


def uncertain(name: str) -> Checkpoint:
    condition = Condition(ConditionState.UNCERTAIN, "01a1", START, "the run was cancelled", KEY)
    return Checkpoint(ObservedUnit(identity(name), condition=condition))


def transition(session: Session, *units: str, **outputs: object) -> Transition:
    environment = session.snapshot.environment
    return Transition(
        headline=f"nyl: reconcile {environment} ({len(units)} executed)",
        summary={"units": {unit: {"result": "executed", "executionKey": KEY} for unit in units}},
        trailers={
            "Nyl-Operation": "reconcile",
            "Nyl-Run-Id": session.run.run,
            "Nyl-Environment": environment,
            "Nyl-Source-Commit": SOURCE,
            "Nyl-Runner": "alice@host",
            "Nyl-Evaluated-At": START.iso_seconds(),
            "Nyl-Version": "0.1.0",
        },
        environment=EnvironmentRecord(environment, SOURCE, units, {"metadata": {"name": environment}}),
        desired={unit: desired(unit, environment=environment) for unit in units},
        observed={unit: observed(unit, environment, **outputs) for unit in units},
    )
