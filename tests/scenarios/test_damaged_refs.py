"""Refs that somebody damaged lock an environment only until what the message says is pasted."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.support.gates import Gate, killed_run
from tests.support.world import World

RUN = "01a22a95-4673-7133-a3fb-2de2f2d70a13"


def damage(world: World, ref: str, path: str) -> None:
    """Puts a commit on a ref of the remote whose file at `path` nobody can read."""
    blob = world.git("hash-object", "-w", "--stdin", cwd=world.origin, stdin="kind: [")
    tree = world.git("mktree", cwd=world.origin, stdin=f"100644 blob {blob}\t{path}\n")
    world.git("update-ref", ref, world.git("commit-tree", tree, "-m", "damage", cwd=world.origin), cwd=world.origin)


def follow(world: World, *arguments: str) -> str:
    """Lets nyl refuse, and pastes the first command of its fix; what it had to say."""
    (told,) = world.report(*arguments, exits=1).diagnostics
    assert told["code"] == "NYL-STATE-CORRUPT"
    pasted = re.search(r"`(git [^`]+)`", told["fix"])
    assert pasted, told["fix"]
    subprocess.run(pasted[1], shell=True, cwd=world.project, env=world.environ, check=True, capture_output=True)
    return f"{told['message']} {told['fix']}"


@pytest.mark.parametrize(
    ("ref", "path"),
    [
        ("refs/nyl/dev/lease", "lease.yaml"),
        (f"refs/nyl/dev/runs/{RUN}", "run.yaml"),
        ("refs/nyl/dev/runs/junk", "other.yaml"),
        (f"refs/nyl/dev/evidence/{RUN}", "run.yaml"),
    ],
)
def test_a_ref_that_cannot_be_read_is_named_with_the_command_that_gives_it_up(
    reconciled: World, ref: str, path: str
) -> None:
    damage(reconciled, ref, path)
    assert ref in follow(reconciled, "recover", "-e", "dev")
    assert reconciled.reconcile().verdicts() == {"database": "current", "migrate": "current"}


def test_a_ref_that_is_at_no_commit_is_damaged_too(reconciled: World) -> None:
    blob = reconciled.git("hash-object", "-w", "--stdin", cwd=reconciled.origin, stdin="?")
    reconciled.git("update-ref", f"refs/nyl/dev/runs/{RUN}", blob, cwd=reconciled.origin)
    assert f"refs/nyl/dev/runs/{RUN} is damaged" in follow(reconciled, "reconcile", "-e", "dev")
    reconciled.reconcile()


def test_a_broken_lease_whose_run_ref_is_damaged_can_be_recovered_without_it(pair: World) -> None:
    gate = Gate(pair).close()
    pair.unit("migrate", script=gate.script).commit()
    run = killed_run(pair)
    gate.open()
    pair.nyl("lease", "break", "-e", "dev", "--reason", "runner was killed")
    damage(pair, f"refs/nyl/dev/runs/{run}", "run.yaml")
    assert "check what its units did" in follow(pair, "recover", "-e", "dev")
    assert pair.report("recover", "-e", "dev").json["details"]["leaseBroken"]["reason"] == "runner was killed"
    assert pair.reconcile().verdicts() == {"database": "executed", "migrate": "executed"}


def test_a_damaged_run_ref_of_a_project_without_remote_is_given_up_in_its_own_repository(
    tmp_path: Path,
) -> None:
    world = World(tmp_path, remote=False).pair().initialise()
    blob = world.git("hash-object", "-w", "--stdin", stdin="?")
    world.git("update-ref", f"refs/nyl/dev/runs/{RUN}", blob)
    follow(world, "reconcile", "-e", "dev")
    world.reconcile()
