"""State refs that a host refuses: what a run tells then, and what others do with it."""

from tests.support.declarations import from_unit
from tests.support.world import World


def refuse(world: World, ref: str) -> None:
    """Lets a rule of the host refuse every update of a ref."""
    hook = world.origin / "hooks" / "update"
    hook.write_text(f'#!/bin/sh\ncase "$1" in {ref}) echo "rule 13 covers this" >&2; exit 1;; esac\n')
    hook.chmod(0o755)


def test_a_run_whose_transition_is_refused_reports_what_ran(pair: World) -> None:
    refuse(pair, "refs/heads/nyl/dev/observed")
    ended = pair.reconcile(exits=1)
    assert ended.verdicts() == {"database": "executed", "migrate": "executed"}
    (refused,) = ended.environment()["diagnostics"]
    assert refused["code"] == "NYL-PUSH-REFUSED"
    assert "rule 13 covers this" in refused["message"]
    (run_ref,) = [ref for ref in pair.state_refs() if "/runs/" in ref]
    assert run_ref in refused["message"]


def test_nothing_is_printed_as_written_that_was_refused(pair: World) -> None:
    refuse(pair, "refs/heads/nyl/dev/desired")
    before = pair.state_refs()
    ended = pair.nyl("reconcile", "-e", "dev", exits=1)
    assert "desired:" not in ended.stdout
    assert "observed:" not in ended.stdout
    assert before.items() <= pair.state_refs().items()


def test_consumers_in_later_environments_wait_for_a_refused_transition(world: World) -> None:
    world.environment("infra", unitSelector={"matchLabels": {"in": "infra"}})
    world.environment("services", unitSelector={"matchLabels": {"in": "services"}})
    world.unit("network", labels={"in": "infra"}, writes={"id": "old"})
    world.unit("api", labels={"in": "services"}, values={"id": from_unit("network", "id", "infra")})
    world.initialise("infra", "services").reconcile("-e", "infra", "-e", "services")
    world.unit("network", labels={"in": "infra"}, writes={"id": "new"})
    world.unit("api", labels={"in": "services"}, script=":", values={"id": from_unit("network", "id", "infra")})
    world.commit()
    refuse(world, "refs/heads/nyl/infra/observed")
    ended = world.forget().reconcile("-e", "infra", "-e", "services", exits=1)
    assert world.ran() == ["network"]
    assert ended.verdicts("services") == {"api": "blocked"}


def test_a_run_whose_lease_is_gone_does_not_call_saved_results_lost(world: World) -> None:
    gone = f"git --git-dir='{world.origin}' update-ref -d refs/nyl/dev/lease"
    world.environment().unit("a", script=gone).initialise()
    ended = world.reconcile(exits=4)
    assert ended.codes == {"NYL-LEASE-LOST"}
    (run_ref,) = [ref for ref in world.state_refs() if "/runs/" in ref]
    assert "checkpoints/a.yaml" in world.git("ls-tree", "-r", "--name-only", run_ref, cwd=world.origin)
