import json
from pathlib import Path
from typing import Any

import pytest

from tests.github.events import pull_request, variables
from tests.support import github_faults as faults
from tests.support.copies import copied
from tests.support.git_processes import GitRecorder
from tests.support.github_server import TOKEN, GitHubServer, serve_github
from tests.support.world import World


def run_of(world: World, event: str, payload: Any, **more: str) -> World:
    """Makes the calls of a world steps of a run of GitHub Actions."""
    file = world.tmp / "event.json"
    file.write_text(json.dumps(payload))
    world.environ |= variables(event, GITHUB_EVENT_PATH=str(file), **more)
    return world


@pytest.fixture
def project(tmp_path: Path) -> World:
    return copied(tmp_path, _project)


def _project(world: World) -> World:
    return world.pair().environment(values={"size": "s"}).initialise()


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


def opened(world: World, head: str, sha: str) -> World:
    """The run of an open pull request with this head."""
    request = pull_request(head={"sha": head, "repo": {"full_name": "acme/shop"}})
    request["base"]["ref"] = "main"
    return run_of(world, "pull_request", {"pull_request": request}, GITHUB_SHA=sha)


def test_a_merge_of_an_older_head_is_not_planned(project: World) -> None:
    head, merge = trial_merge(project)
    assert opened(project, head, merge).plan().verdicts()["database"] == "execute"
    newer = "f" * 40
    told = opened(project, newer, merge).plan(exits=1)
    assert told.codes == {"NYL-CHECKOUT-STALE"}
    assert all(each in told.stderr for each in (merge, head, newer))


def test_a_pull_request_is_planned_for_what_follows_its_base_and_reconciled_nowhere(project: World) -> None:
    project.git("push", "-q", "origin", "main:release")
    live = {"values": {"size": "s"}, "source": {"revision": "release"}, "protectedRefs": ["release"]}
    project.environment("live", **live).commit("Add live")
    project.git("push", "-q", "origin", "main:release")
    project.nyl("state", "init", "-e", "live")
    released = project.git("rev-parse", "HEAD")
    head, merge = trial_merge(project)
    planned = opened(project, head, merge).plan("-e", "dev", "-e", "live")
    assert [planned.environment(each)["source"] for each in ("dev", "live")] == [merge, released]
    assert project.reconcile(exits=1).codes == {"NYL-SOURCE-UNREACHABLE"}


def test_a_base_that_moved_on_shows_as_no_revert(project: World) -> None:
    head, merge = trial_merge(project)
    opened(project, head, merge).plan()
    other = project.clone("other")
    (other / "README.md").write_text("Changed on main\n")
    project.git("add", "-A", cwd=other)
    project.git("commit", "-qm", "Change main", cwd=other)
    project.git("push", "-q", "origin", "HEAD:refs/heads/main", cwd=other)
    told = project.plan(exits=1)
    assert told.codes == {"NYL-CHECKOUT-BEHIND"}
    assert "`git fetch origin main && git merge --no-edit FETCH_HEAD`" in told.stderr
    project.plan("--source", "main")


def test_a_head_alone_is_planned_while_it_holds_its_base(project: World) -> None:
    project.git("switch", "-q", "-c", "topic")
    head = project.commit("Change", branch="topic")
    project.git("push", "-q", "origin", "HEAD:refs/pull/7/head")
    shallow = project.clone("shallow", "--depth=1", "--branch=topic")
    opened(project, head, "c" * 40).plan()
    project.plan(cwd=shallow)
    main = project.git("commit-tree", "main^{tree}", "-p", "main", "-m", "Change main")
    project.git("push", "-q", "origin", f"{main}:refs/heads/main")
    assert project.plan(exits=1).codes == {"NYL-CHECKOUT-BEHIND"}
    assert project.plan(exits=1, cwd=shallow).codes == {"NYL-CHECKOUT-BEHIND"}


def test_a_base_that_cannot_be_asked_for_may_have_moved(project: World) -> None:
    head, merge = trial_merge(project)
    opened(project, head, merge)
    project.git("remote", "set-url", "origin", f"{project.origin}-gone", cwd=project.root)
    assert project.plan(exits=1, hurries=True).codes == {"NYL-REMOTE-UNAVAILABLE"}


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


@pytest.mark.parametrize("shallow", [False, True])
def test_a_repeated_run_takes_nothing_back_unless_its_commit_is_named(project: World, shallow: bool) -> None:
    old = project.git("rev-parse", "HEAD")
    project.environment(values={"size": "l"}).commit()
    project.reconcile()
    checkout = project.clone("again", *(["--depth=1"] if shallow else []))
    if shallow:
        project.git("fetch", "-q", "--depth=1", "origin", old, cwd=checkout)
    project.git("checkout", "-q", "--detach", old, cwd=checkout)
    run_of(project.forget(), "push", {}, GITHUB_REF="refs/heads/main", GITHUB_SHA=old, GITHUB_RUN_ATTEMPT="2")
    before, recorder = project.refs(), GitRecorder.install(project.tmp / "recorder")
    told = project.reconcile(cwd=checkout, exits=1, environ=recorder.environ(project.environ["PATH"]))
    assert (told.codes, project.ran(), project.refs()) == ({"NYL-SOURCE-SUPERSEDED"}, [], before)
    assert "push" not in recorder.round_trips(), "the remote is asked before the lease is taken"
    project.reconcile("--source", old, cwd=checkout)
    assert project.ran() == ["database", "migrate"]


def test_a_repeated_run_of_the_newest_commit_runs(project: World) -> None:
    run_of(project, "push", {}, GITHUB_REF="refs/heads/main", GITHUB_RUN_ATTEMPT="2").reconcile()
    project.environment(values={"size": "l"}).commit()
    project.reconcile()
    assert project.ran() == ["database", "migrate"] * 2


def approved_run(project: World, server: GitHubServer) -> dict[str, Any]:
    """What a receipt keeps of an approval that is given in a run of GitHub Actions."""
    run_of(project, "workflow_dispatch", {}, GITHUB_API_URL=server.address, GITHUB_TOKEN=TOKEN)
    project.reconcile("--approve", "database")
    found: dict[str, Any] = project.stored("observed/units/database.yaml")["receipt"]["approval"]
    return found


def test_who_reviewed_the_run_is_recorded_with_what_they_approved(project: World) -> None:
    with serve_github() as server:
        server.review("alice", "dev")
        server.review("bob", "prod")
        approval = approved_run(project, server)
    assert (approval["by"], approval["identity"]) == (["alice"], "verified")
    assert approval["source"] == "https://github.com/acme/shop/actions/runs/42/attempts/1"
    assert server.reads == 1


def test_the_project_s_lookup_comes_before_github(project: World) -> None:
    project.write("nyl.toml", '[approval]\nlookup = ["./who.sh"]\n')
    answer = {"by": ["carol"], "source": "gate", "url": "https://ci.example/1"}
    project.write("who.sh", f"#!/bin/sh\necho '{json.dumps(answer)}'\n").commit()
    with serve_github() as server:
        assert approved_run(project, server)["by"] == ["carol"]
    assert server.reads == 0


def test_a_run_that_approves_nothing_asks_nobody(project: World) -> None:
    with serve_github() as server:
        run_of(project, "push", {}, GITHUB_API_URL=server.address, GITHUB_TOKEN=TOKEN, GITHUB_REF="refs/heads/main")
        project.reconcile()
    assert server.requests == []


def test_a_review_history_that_cannot_be_read_is_a_warning_and_names_nobody(project: World) -> None:
    with serve_github() as server:
        server.review("alice", "dev")
        server.fail(faults.read_only(), on="GET")
        run_of(project, "workflow_dispatch", {}, GITHUB_API_URL=server.address, GITHUB_TOKEN=TOKEN)
        told = project.reconcile("--approve", "database")
    approval = project.stored("observed/units/database.yaml")["receipt"]["approval"]
    assert (approval["by"], approval["identity"]) == ([], "unverified")
    assert "warning NYL-APPROVERS-UNKNOWN" in told.stderr
    assert "`actions: read`" in told.stderr
    assert TOKEN not in told.stdout + told.stderr + project.git("log", "--all", "-p", cwd=project.origin)
