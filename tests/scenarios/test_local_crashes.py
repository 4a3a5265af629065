"""Publishing and dropping local work that die half-way, and local runs that died: nothing is lost or done twice."""

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.deaths import close, kill, open_gate, until, waits
from tests.support.forks import KILLED, NO_FAULTS, Faults, Forks
from tests.support.processes import Invocation
from tests.support.warm import warm_forks
from tests.support.world import World

_LEAVES = re.compile("after (push|work)")


@pytest.fixture(scope="module")
def forks() -> Forks:
    return warm_forks()


@dataclass
class Local:
    """A world whose clone holds local work, and how nyl is called in it."""

    world: World
    forks: Forks

    def call(self, *argv: str, faults: Faults = NO_FAULTS, later: float = 0.0) -> Invocation:
        started = self.forks.start(argv, cwd=self.world.project, environ=self.world.environ, faults=faults, later=later)
        return self.forks.wait(started)

    def again_from(self, saved: Path) -> None:
        """Everything as it was when it was saved."""
        for folder in (self.world.root, self.world.origin):
            shutil.rmtree(folder)
            shutil.copytree(saved / folder.name, folder, symlinks=True)

    def deaths(self, saved: Path, *argv: str) -> Iterator[str]:
        """Dies at one fault point of a call after the other, each time from what was saved."""
        for point in self.points(saved, *argv):
            self.again_from(saved)
            assert self.call(*argv, faults=Faults(die_at=point)).code == KILLED, point
            yield point

    def points(self, saved: Path, *argv: str) -> list[str]:
        """The fault points of a call that differ in what is there then: its first, and those behind pushes and work."""
        self.again_from(saved)
        trace = self.world.tmp / "trace"
        trace.touch()
        self.call(*argv, faults=Faults(trace=trace))
        passed = trace.read_text().splitlines()
        return [point for place, point in enumerate(passed) if place == 0 or _LEAVES.match(point)]

    def local_refs(self) -> Sequence[str]:
        return self.world.git("for-each-ref", "--format=%(refname)", "refs/heads/nyl", "refs/nyl").splitlines()


@pytest.fixture
def local(reconciled: World, forks: Forks) -> Local:
    """The reconciled pair, and a unit that a local run executed."""
    reconciled.unit("third", idempotent=True).commit()
    made = Local(reconciled, forks)
    assert made.call("reconcile", "-e", "dev", "--local").code == 0
    reconciled.forget()
    return made


def save(local: Local) -> Path:
    """A copy of clone and remote."""
    saved = local.world.tmp / "saved"
    for folder in (local.world.root, local.world.origin):
        shutil.copytree(folder, saved / folder.name, symlinks=True)
    return saved


def test_publishing_that_dies_anywhere_is_done_again(local: Local) -> None:
    saved, wanted = save(local), local.world.git("rev-parse", "refs/heads/nyl/dev/observed")
    points = 0
    for point in local.deaths(saved, "state", "publish", "-e", "dev"):
        points += 1
        broken = local.call("lease", "break", "-e", "dev", "--reason", "publishing was killed")
        assert broken.code == 0 or "NYL-LEASE-UNBREAKABLE" in broken.stderr, (point, broken)
        again = local.call("state", "publish", "-e", "dev")
        # Where all of it arrived before the death, nothing is left but a break that a reconcile records.
        assert again.code == 0 or "NYL-LEASE-BROKEN" in again.stderr, (point, again)
        assert local.world.state() == wanted, point
        ended = local.call("reconcile", "-e", "dev")
        assert ended.code == 0, (point, ended)
        assert not [ref for ref in local.world.refs() if ref.startswith("refs/nyl/")], point
    assert points > 3
    assert local.world.ran() == []


def test_a_reset_that_dies_anywhere_is_done_again(local: Local) -> None:
    saved = save(local)
    commit = local.world.git("rev-parse", "refs/heads/nyl/dev/observed")
    points = 0
    for point in local.deaths(saved, "state", "reset", "-e", "dev", "--reason", "tried"):
        points += 1
        assert local.call("state", "reset", "-e", "dev", "--reason", "tried").code == 0, point
        assert local.local_refs() == []
        assert commit in local.world.git("rev-list", "--glob=refs/nyl-dropped/").split(), point
    assert points == 2


def test_a_local_run_that_dies_anywhere_is_taken_over_locally(local: Local) -> None:
    local.world.unit("fourth", idempotent=True).commit()
    saved = save(local)
    for point in local.deaths(saved, "reconcile", "-e", "dev", "--local"):
        ended = local.call("reconcile", "-e", "dev", "--local", later=7200.0)
        assert ended.code == 0, (point, ended)
        assert set(local.local_refs()) == {"refs/heads/nyl/dev/desired", "refs/heads/nyl/dev/observed"}, point
        assert local.call("state", "publish", "-e", "dev").code == 0, point
        assert local.world.forget().reconcile().verdicts()["fourth"] == "current", point


def test_a_local_run_that_expired_is_published_and_imported_online(local: Local) -> None:
    world = local.world
    world.unit("slow", script=waits(world)).commit()
    close(world)
    process = world.start("reconcile", "-e", "dev", "--local", "--approve", "slow")
    until(lambda: world.ran() == ["slow"])
    kill(process)
    open_gate(world)
    assert local.call("state", "publish", "-e", "dev").code == 2
    assert local.call("state", "publish", "-e", "dev", later=7200.0).code == 0
    imported = local.call("reconcile", "-e", "dev", "-o", "json", later=7200.0)
    assert imported.verdicts()["slow"] == "uncertain"
    assert local.local_refs() == []
    assert world.ran() == ["slow"]
