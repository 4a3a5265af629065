import json
from pathlib import Path
from typing import Any

import pytest

from tests.github.events import pull_request, variables
from tests.support.world import World


def run_of(world: World, event: str, payload: Any, **more: str) -> World:
    """Makes the calls of a world steps of a run of GitHub Actions."""
    file = world.tmp / "event.json"
    file.write_text(json.dumps(payload))
    world.environ |= variables(event, GITHUB_EVENT_PATH=str(file), **more)
    return world


@pytest.fixture
def project(tmp_path: Path) -> World:
    return World(tmp_path).pair().environment(values={"size": "s"}, allowUnprotectedSource=True).initialise()


def trial_merge(world: World) -> tuple[str, str]:
    """Checks out, at depth 1, what GitHub makes to try a pull request; gives head and merge."""
    base = world.git("rev-parse", "HEAD")
    world.git("switch", "-q", "-c", "topic")
    head = world.commit("Change", branch="topic")
    tree = world.git("rev-parse", "HEAD^{tree}")
    merge = world.git("commit-tree", tree, "-p", base, "-p", head, "-m", f"Merge {head} into {base}")
    world.git("push", "-q", "origin", f"{merge}:refs/pull/7/merge")
    shallow = world.tmp / "shallow"
    world.git("clone", "-q", "--depth=1", f"file://{world.origin}", str(shallow), cwd=world.tmp)
    world.git("fetch", "-q", "--depth=1", "origin", "refs/pull/7/merge", cwd=shallow)
    world.git("checkout", "-q", "--detach", "FETCH_HEAD", cwd=shallow)
    world.root = world.project = shallow
    return head, merge


def test_a_merge_of_an_older_head_is_not_planned(project: World) -> None:
    head, merge = trial_merge(project)
    request = pull_request(head={"sha": head, "repo": {"full_name": "acme/shop"}})
    run_of(project, "pull_request", {"pull_request": request}, GITHUB_SHA=merge)
    assert project.plan().verdicts()["database"] == "execute"
    newer = "f" * 40
    request["head"]["sha"] = newer
    told = run_of(project, "pull_request", {"pull_request": request}, GITHUB_SHA=merge).plan(exits=1)
    assert told.codes == {"NYL-CHECKOUT-STALE"}
    assert all(each in told.stderr for each in (merge, head, newer))


@pytest.mark.parametrize("command", ["plan", "reconcile", "verify", "teardown"])
def test_a_privileged_run_runs_no_program_of_a_fork(project: World, command: str) -> None:
    request = pull_request(fork="eve/shop", head={"sha": project.git("rev-parse", "HEAD"), "repo": None})
    run_of(project, "pull_request_target", {"pull_request": request})
    more = ["--all"] if command == "teardown" else []
    told = project.report(command, "-e", "dev", *more, exits=1)
    assert told.codes == {"NYL-CHECKOUT-UNTRUSTED"}
    assert project.ran() == []
    project.nyl("validate")


def test_a_push_of_its_own_lets_nyl_do_nothing(project: World) -> None:
    message = project.message("observed")
    project.git("switch", "-q", "--orphan", "empty")
    run_of(project, "push", {"head_commit": {"message": message}}, GITHUB_REF="refs/heads/state/dev")
    before = project.refs()
    told = project.reconcile()
    assert (told.codes, told.json["environments"]) == ({"NYL-RUN-OWN-PUSH"}, {})
    assert "name the branches of the source alone" in told.stderr
    assert (project.ran(), project.refs()) == ([], before)
