"""The workflows' own steps on real repositories, in their order."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.action.conftest import Runners
from tests.support.actions_events import Event, pull_request, push, schedule, workflow_dispatch
from tests.support.actions_runner import ACTION
from tests.support.actions_steps import StepRun, StepsRun, nothing
from tests.support.environment import nyl_executable
from tests.support.github_bodies import Pull
from tests.support.github_server import TOKEN, serve_github
from tests.support.world import World

Jobs = Callable[..., StepsRun]
HOSTILE = 'why not $(touch pwned) `touch pwned` "; touch pwned'


@pytest.fixture
def job(world: World, runner: Runners) -> Jobs:
    """Runs a job of a workflow for an event."""

    def run(name: str, event: Event, api: str | None = None, **contexts: Any) -> StepsRun:
        workflow, _, told = name.partition(".")
        made = runner(event, api=api, actions={"nyl-dev/nyl": ACTION}, machine={"PATH": path_without_nyl()})
        return made.run_job(ACTION / "workflows" / f"nyl-{workflow}.yml", told, **contexts)

    return run


def path_without_nyl() -> str:
    """The programs of the machine, but for the nyl of the tests: it is the action that brings nyl."""
    return os.pathsep.join(each for each in os.defpath.split(os.pathsep) if not (Path(each) / "nyl").exists())


def named(run: StepsRun, name: str) -> StepRun:
    """The step of a name."""
    return next(each for each in run.steps if each.name == name)


def test_a_pull_request_is_planned_when_its_project_is_valid(world: World, job: Jobs) -> None:
    sha = world.pair().environment("prod", values={"size": "big"}).initialise("dev", "prod").git("rev-parse", "HEAD")
    with serve_github() as server:
        server.pulls = [Pull(head_sha=sha, merge_sha=sha)]
        run = job("plan.plan", pull_request(sha, head=sha), api=server.address, token=TOKEN)
    assert not run.failed, run.text
    assert ["key=plan" in each.body.splitlines()[0] for each in server.comments] == [True]
    plan = named(run, "Plan")
    assert plan.outputs["result"] == "waiting"
    assert all(each in plan.summary for each in ("dev", "prod", "database"))
    sha = world.unit("migrate", dependsOn=["nobody"]).commit()
    broken = job("plan.plan", pull_request(sha, head=sha))
    assert (broken.failed, named(broken, "Plan").outcome) == (True, "skipped")
    assert "NYL-DEPENDENCY-UNKNOWN" in broken.text


def test_a_merge_reconciles_environment_by_environment_producers_first(world: World, job: Jobs) -> None:
    world.environment("app", unitSelector={"matchLabels": {"in": "app"}})
    world.environment("infra", unitSelector={"matchLabels": {"in": "infra"}})
    world.unit("web", labels={"in": "app"}, dependsOn=[{"environment": "infra", "unit": "network"}])
    sha = world.unit("network", labels={"in": "infra"}).initialise("app", "infra").git("rev-parse", "HEAD")
    needs = {"environments": {"outputs": job("reconcile.environments", push(sha)).outputs}}
    names = json.loads(needs["environments"]["outputs"]["names"])
    assert names == ["infra", "app"]
    for name in names:
        run = job("reconcile.reconcile", push(sha), needs=needs, matrix={"environment": name})
        assert named(run, "Reconcile").outputs["result"] == "clean", run.text
    assert world.ran() == ["network", "web"]
    assert not job("reconcile.reconcile", push(sha), needs={"environments": {"outputs": {"names": "[]"}}}).steps


@pytest.mark.parametrize("first", ["reconcile.environments", "approve.plan"])
def test_a_branch_of_work_is_never_reconciled(job: Jobs, first: str) -> None:
    event = workflow_dispatch("0" * 40, ref="refs/heads/work")
    assert not job(first, event, inputs={"environment": "dev", "teardown": "false"}).steps


@pytest.fixture
def gated(world: World) -> World:
    """Two units with approvals, one of its key and one of its change, and a unit that leaves."""
    world.environment("dev", values={"size": "small"})
    world.unit("old", teardown=["./scripts/old.sh"]).initialise().reconcile()
    world.remove("units/old.yaml")
    world.write("plan.sh", "#!/bin/sh\necho one more\n").forget()
    world.unit("bound", plan=["./plan.sh"], approval={"mode": "manual", "bind": "plan", "requireDigest": True})
    return world.unit("keyed", arguments=["{{ values.size }}"], approval="manual")


def approved(job: Jobs, sha: str, planned: dict[str, Any], teardown: str = "false", **more: Any) -> StepsRun:
    """Runs the gated job, for what the job before it planned."""
    inputs = {"environment": "dev", "teardown": teardown}
    return job("approve.approve", workflow_dispatch(sha), needs=planned, inputs=inputs, **more)


def planned_by(job: Jobs, sha: str, teardown: str = "false") -> dict[str, Any]:
    run = job("approve.plan", workflow_dispatch(sha), inputs={"environment": "dev", "teardown": teardown})
    assert not run.failed, run.text
    return {"plan": {"outputs": run.outputs}}


def test_an_approval_is_of_what_the_plan_listed(gated: World, job: Jobs) -> None:
    sha = gated.commit()
    planned = planned_by(job, sha, "true")
    assert set(json.loads(planned["plan"]["outputs"]["found"])) == {"dev/bound", "dev/keyed", "dev/old"}
    with serve_github() as server:
        server.review("mona", "Dev")
        run = approved(job, sha, planned, "true", api=server.address, token=TOKEN)
    assert named(run, "Reconcile").outputs["result"] == "clean", run.text
    assert sorted(gated.ran()) == ["bound", "keyed", "old"]
    for unit, reviewed in (("bound", True), ("keyed", False)):
        approval = gated.stored(f"observed/units/{unit}.yaml")["receipt"]["approval"]
        assert (approval["by"], approval["identity"], approval["reviewed"]) == (["mona"], "verified", reviewed)
    nothing_left = planned_by(job, sha)
    assert nothing_left["plan"]["outputs"]["found"] == "{}"
    assert not approved(job, sha, nothing_left).steps


def test_what_changed_since_it_was_planned_goes_on_waiting(gated: World, job: Jobs) -> None:
    planned = planned_by(job, gated.commit())
    gated.write("plan.sh", "#!/bin/sh\necho two more\n").environment("dev", values={"size": "large"})
    run = approved(job, gated.commit(), planned)
    assert (run.failed, named(run, "Reconcile").outputs["exit-code"]) == (True, "2"), run.text
    assert gated.ran() == []
    warned = named(run, "Compare with what was approved").log.annotations("warning")
    assert [each.data for each in warned] == [f"dev/{unit} is not what was approved" for unit in ("bound", "keyed")]


def test_drift_fails_the_daily_run(world: World, job: Jobs) -> None:
    world.environment().write("verify.sh", "#!/bin/sh\nexit 2\n").unit("db", verify=["./verify.sh"])
    sha = world.initialise().git("rev-parse", "HEAD")
    world.reconcile()
    run = job("verify.verify", schedule(sha))
    assert (run.failed, named(run, "Verify").code) == (True, 3), run.text
    assert any("db" in each.data for each in named(run, "Verify").log.commands if each.name in ("error", "warning"))
    assert world.stored("observed/units/db/observations/drift.yaml")


def operating(operation: str, unit: str = "") -> dict[str, str]:
    return {"operation": operation, "environment": "dev", "unit": unit, "reason": HOSTILE}


def test_an_operator_holds_a_unit_with_the_nyl_that_the_action_brings(world: World, job: Jobs) -> None:
    sha = world.environment().unit("a").initialise().git("rev-parse", "HEAD")
    world.reconcile()
    inputs = operating("hold", "a")
    run = job("operate.operate", workflow_dispatch(sha, **inputs), inputs=inputs)
    assert not run.failed, run.text
    assert world.stored("desired/units/a.yaml", "desired")["lifecycle"]["hold"]["reason"] == HOSTILE
    assert world.git("log", "-1", "--format=%an", world.state("desired"), cwd=world.origin) == "octocat"
    assert not list(world.tmp.rglob("pwned"))


def test_each_operation_does_what_its_name_says(world: World, runner: Runners) -> None:
    sha = world.environment().unit("a", teardown=["./scripts/a.sh"]).initialise().git("rev-parse", "HEAD")
    world.reconcile()
    world.nyl("hold", "-e", "dev", "--unit", "a", "--reason", "none")
    path = os.pathsep.join([str(nyl_executable().parent), os.defpath])

    def operate(operation: str, unit: str = "") -> StepRun:
        inputs = operating(operation, unit)
        job = runner(workflow_dispatch(sha), stand_ins={"nyl-dev/nyl": nothing}, machine={"PATH": path})
        return job.run_job(ACTION / "workflows" / "nyl-operate.yml", "operate", inputs=inputs).step("operate")

    assert "NYL-LEASE-UNBREAKABLE" in operate("lease-break").text
    assert operate("recover").code == 0
    assert operate("resume", "a").code == 0
    assert operate("teardown", "a").code == 0
    assert world.ran() == ["a", "a"]
    assert (operate("hold").code, operate("anything").code) == (1, 1)
