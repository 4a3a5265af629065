"""How nyl uses Git: how often, in which environment, against which configuration and which remotes."""

from pathlib import Path

import pytest

from tests.support import declarations
from tests.support.git_processes import GitRecorder
from tests.support.hostile import Decoy, HostileGit, contents
from tests.support.world import World

MOST_PROCESSES = 8
MOST_ROUND_TRIPS = 3


def recorded(world: World, *arguments: str) -> GitRecorder:
    """What one call of nyl asked of git."""
    recorder = GitRecorder.install(world.tmp / f"recorder-{len(list(world.tmp.glob('recorder-*')))}")
    world.nyl(*arguments, environ=recorder.environ(world.environ["PATH"]), exits=(0, 2))
    return recorder


def many(world: World, count: int) -> World:
    """A reconciled environment of `count` units on one script."""
    world.environment().write("true.sh", "#!/bin/sh\n")
    texts = [declarations.command(f"u{n:04}", ["./true.sh"], files=["true.sh"]) for n in range(count)]
    world.write("units.yaml", "---\n".join(texts)).initialise()
    world.nyl("reconcile", "-e", "dev", "--quiet-unit-output")
    return world


def test_a_run_without_changes_takes_a_fixed_small_number_of_processes(tmp_path: Path) -> None:
    counts = []
    for size in (3, 12):
        (tmp_path / str(size)).mkdir()
        recorder = recorded(many(World(tmp_path / str(size)), size), "reconcile", "-e", "dev")
        assert len(recorder.round_trips()) <= MOST_ROUND_TRIPS, recorder.calls()
        counts.append(len(recorder.calls()))
    assert counts[0] == counts[1] <= MOST_PROCESSES, recorder.calls()


@pytest.mark.parametrize("command", ["plan", "status"])
def test_reading_writes_nothing_to_the_remote(reconciled: World, command: str) -> None:
    recorder = recorded(reconciled, command, "-e", "dev")
    assert "push" not in recorder.subcommands()
    assert len(recorder.calls()) <= MOST_PROCESSES


def test_a_state_branch_that_was_looked_at_costs_no_round_trip(reconciled: World) -> None:
    before = recorded(reconciled, "reconcile", "-e", "dev")
    reconciled.git("fetch", "-q")
    for name in ("desired", "observed"):
        reconciled.git("branch", "-q", f"nyl/dev/{name}", f"origin/nyl/dev/{name}")
    after = recorded(reconciled, "reconcile", "-e", "dev")
    assert sorted(after.subcommands()) == sorted(before.subcommands())  # some of them run at the same time


def test_a_local_run_makes_no_round_trip(reconciled: World) -> None:
    assert recorded(reconciled, "reconcile", "-e", "dev", "--local").round_trips() == []


def test_reading_works_without_write_access(reconciled: World) -> None:
    hook = reconciled.origin / "hooks/pre-receive"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    reconciled.plan()
    reconciled.report("status", "-e", "dev")
    reconciled.nyl("get", "units", "-e", "dev")


def test_version_and_validate_start_no_needless_git(pair: World) -> None:
    assert recorded(pair, "--version").calls() == []
    assert not recorded(pair, "validate").round_trips()


def test_a_hostile_configuration_changes_nothing(pair: World) -> None:
    hostile = HostileGit.configure(pair.environ, pair.tmp / "hostile")
    assert pair.reconcile().verdicts() == {"database": "executed", "migrate": "executed"}
    assert pair.reconcile().verdicts() == {"database": "current", "migrate": "current"}
    assert hostile.caught() == []
    assert set(pair.state_refs()) == {"refs/heads/nyl/dev/desired", "refs/heads/nyl/dev/observed"}


def test_a_hostile_configuration_does_not_change_what_a_unit_sees(pair: World) -> None:
    pair.unit("bytes", script="! grep -q \"$(printf '\\r')\" scripts/bytes.sh").commit()
    HostileGit.configure(pair.environ, pair.tmp / "hostile")
    assert pair.reconcile().verdicts()["bytes"] == "executed"


def test_a_worktree_snapshot_survives_a_hostile_configuration(world: World) -> None:
    world.environment("dev", allowUnprotectedSource=True).unit("old").initialise()
    hostile = HostileGit.configure(world.environ, world.tmp / "hostile")
    world.unit("new")
    assert world.reconcile("--worktree").verdicts() == {"old": "executed", "new": "executed"}
    assert hostile.caught() == []


def test_followed_tags_are_not_pushed(pair: World) -> None:
    pair.git("config", "--global", "push.followTags", "true")
    pair.git("tag", "-a", "v1", "-m", "One")
    pair.reconcile()
    assert not [ref for ref in pair.refs() if ref.startswith("refs/tags/")]


def test_the_environment_of_a_hook_leads_nobody_astray(pair: World) -> None:
    decoy = Decoy.lay(pair.tmp / "decoy", pair.environ)
    before = decoy.bytes()
    pair.unit("look", script="! env | grep -q ^GIT_").commit()
    ended = pair.reconcile(environ=decoy.environ())
    assert ended.verdicts()["look"] == "executed"
    assert decoy.bytes() == before
    assert "Decoy" not in pair.git("log", "--format=%an%cn", pair.state(), cwd=pair.origin)


def test_nothing_of_the_users_repository_changes_but_objects_and_nyls_own_refs(pair: World) -> None:
    def own(world: World) -> dict[str, bytes]:
        everything = contents(world.root)
        ours = (".git/objects/", ".git/nyl/", ".git/refs/nyl", ".git/logs/refs/nyl", ".nyl/")
        return {path: data for path, data in everything.items() if not path.startswith(ours)}

    before = own(pair)
    pair.reconcile()
    assert own(pair) == before


def test_an_index_lock_of_another_program_does_not_matter(pair: World) -> None:
    (pair.root / ".git/index.lock").touch()
    pair.plan()
    pair.reconcile()


def test_a_linked_worktree_works(pair: World) -> None:
    linked = pair.tmp / "linked"
    pair.git("worktree", "add", "-q", "--detach", linked)
    assert pair.reconcile(cwd=linked).verdicts() == {"database": "executed", "migrate": "executed"}


def test_a_sha256_repository_works(tmp_path: Path) -> None:
    world = World(tmp_path, object_format="sha256").pair().initialise()
    assert world.reconcile().verdicts() == {"database": "executed", "migrate": "executed"}
    assert len(world.state()) == 64


@pytest.mark.parametrize("refused", ["observed", "desired", "lease", "runs"])
def test_a_remote_that_refuses_one_ref_leaves_no_partial_state(pair: World, refused: str) -> None:
    before = pair.refs()
    hook = pair.origin / "hooks/update"
    hook.write_text(f'#!/bin/sh\ncase "$1" in *{refused}*) echo "rule forbids $1"; exit 1;; esac\n')
    hook.chmod(0o755)
    stopped = pair.nyl("reconcile", "-e", "dev", exits=1)
    assert "NYL-PUSH-REFUSED" in stopped.stderr
    assert refused in stopped.stderr
    after = pair.refs()
    assert {ref: after.get(ref) for ref in before} == before
    assert "refs/nyl/dev/lease" not in after
    if refused in ("lease", "runs"):
        assert pair.ran() == []
        assert after == before


def test_a_remote_without_atomic_pushes_is_refused_before_anything_runs(pair: World) -> None:
    pair.git("config", "receive.advertiseAtomic", "false", cwd=pair.origin)
    pair.nyl("reconcile", "-e", "dev", exits=1)
    assert pair.ran() == []


def test_hidden_refs_are_not_taken_for_a_first_run(reconciled: World) -> None:
    reconciled.git("config", "transfer.hideRefs", "refs/heads/nyl", cwd=reconciled.origin)
    reconciled.nyl("reconcile", "-e", "dev", exits=1)
    assert reconciled.ran() == []


def test_rewritten_state_stops_every_command(reconciled: World) -> None:
    first = reconciled.git("rev-list", "--max-parents=0", reconciled.state(), cwd=reconciled.origin)
    reconciled.git("update-ref", "refs/heads/nyl/dev/observed", first, cwd=reconciled.origin)
    for arguments in (("plan", "-e", "dev"), ("status", "-e", "dev"), ("reconcile", "-e", "dev")):
        assert "NYL-STATE-DIVERGED" in reconciled.nyl(*arguments, exits=1).stderr
    assert reconciled.ran() == []
