"""The Action's own steps on real repositories."""

import json
import os
import signal
import subprocess
import sysconfig
import time
from pathlib import Path

import pytest

from tests.action.conftest import Runners
from tests.support.actions_events import merge_group, pull_request, push, schedule
from tests.support.actions_steps import StepsRun, nothing
from tests.support.world import World

HOSTILE = """
echo '::set-output name=result::pwned'
echo '  ::add-mask::database'
echo 'x ##[error]not ours'
echo '::stop-commands::aaaa'
echo '::endgroup::'
"""


def test_a_plan_tells_its_result_everywhere_whatever_the_branch_is_called(world: World, runner: Runners) -> None:
    sha = world.pair().initialise().git("rev-parse", "HEAD")
    title = '`touch pwned`\n::error::x\n"; touch pwned'
    event = pull_request(sha, head=sha, branch="$(touch${IFS}pwned)", title=title)
    run = runner(event).run_action(environment="dev", comment="never")
    step = run.step("run")
    assert (run.failed, step.code) == (False, 0)
    assert run.outputs["exit-code"] == "2"
    assert run.outputs["result"] == "waiting"
    assert json.loads(Path(run.outputs["report"]).read_text())["kind"] == "PlanReport"
    assert "database" in step.summary
    assert step.summary.strip() == Path(run.outputs["report-markdown"]).read_text().strip()
    assert "execute" in step.text
    assert not step.log.annotations("error")
    assert not list(world.tmp.rglob("pwned"))


def test_fail_on_waiting_makes_a_waiting_plan_fail(world: World, runner: Runners) -> None:
    sha = world.pair().initialise().git("rev-parse", "HEAD")
    run = runner(schedule(sha)).run_action(environment="dev", fail_on_waiting="true", summary="false")
    assert (run.failed, run.step("run").code, run.step("run").summary) == (True, 2, "")


def test_units_are_folded_and_nothing_that_they_print_is_obeyed(world: World, runner: Runners) -> None:
    world.environment("dev").unit("a", script=HOSTILE).unit("b", script=HOSTILE)
    sha = world.initialise().git("rev-parse", "HEAD")
    run = runner(push(sha)).run_action(command="reconcile", environment="dev")
    log = run.step("run").log
    assert not run.failed, run.text
    assert {each.name for each in log.commands} == {"group", "endgroup"}
    assert {each.title.removesuffix(" (continued)") for each in log.groups} == {"dev/a", "dev/b"}
    assert not log.stopped
    assert run.outputs["result"] == "clean"
    assert run.outputs["run"] in run.text
    assert any("dev/a: executed in" in line for line in log.outside)
    author = world.git("log", "-1", "--format=%an <%ae>", world.state(), cwd=world.origin)
    assert author == "octocat <583231+octocat@users.noreply.github.com>"  # the runner's Git knows nobody


def test_a_failed_unit_fails_the_step_and_is_annotated(world: World, runner: Runners) -> None:
    sha = world.environment("dev").unit("a", script="echo '::error::no'; exit 7").initialise().git("rev-parse", "HEAD")
    run = runner(push(sha)).run_action(command="reconcile", environment="dev")
    assert (run.step("run").code, run.outputs["result"]) == (3, "failed")
    errors = run.step("run").log.annotations("error")
    told = {"title": "NYL-UNIT-FAILED (dev/a)", "file": "units/a.yaml", "line": "1"}
    assert [each.properties for each in errors] == [told]


def test_an_error_is_annotated_at_its_file_and_line(tmp_path: Path, runner: Runners) -> None:
    world = World(tmp_path / "sub", folder="infra")
    world.environment("dev").write("units/bad.yaml", "apiVersion: units.gitops.nyl/v1\nkind: Command\nkind: Other\n")
    sha = world.commit()
    run = runner(push(sha), world.root).run_action(command="validate", working_directory="infra", comment="never")
    error = run.step("run").log.annotations("error")[0]
    assert (error.properties["file"], error.properties["line"]) == ("infra/units/bad.yaml", "3")
    assert (run.step("run").code, run.outputs["result"]) == (1, "error")


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"working_directory": "nowhere"}, "cannot be entered"),
        ({"args": "--no-such-option"}, "no-such-option"),
        ({"environment": "$(touch${IFS}pwned)"}, "$(touch${IFS}pwned)"),
    ],
)
def test_wrong_inputs_are_told_and_run_nothing(
    inputs: dict[str, str], words: str, world: World, runner: Runners
) -> None:
    sha = world.environment("dev").commit()
    run = runner(push(sha)).run_action(**{"environment": "dev", **inputs})
    assert (run.step("run").code, run.outputs["result"], run.outputs["exit-code"]) == (1, "error", "1")
    assert any(words in each.data for each in run.step("run").log.annotations("error")), run.text
    assert run.step("run").summary
    assert not list(world.tmp.rglob("pwned"))


@pytest.mark.parametrize("folder", ["/", "..", "infra/../../home", "link"])
def test_a_folder_outside_of_the_workspace_is_not_entered(folder: str, world: World) -> None:
    (world.project / "infra").mkdir()
    (world.project / "link").symlink_to(world.tmp / "home")
    environ = {
        "GITHUB_WORKSPACE": str(world.root),
        "NYL_ACTION_WORKING_DIRECTORY": folder,
        "RUNNER_TEMP": str(world.tmp),
    }
    run = world.nyl("action", "run", exits=1, environ=environ)
    assert ("NYL-ACTION-INPUT" in run.stderr, "leads out of the workspace" in run.stderr) == (True, True)


def test_a_place_for_reports_that_is_not_there_is_told(world: World) -> None:
    missing = world.environment("dev").tmp / "missing"
    run = world.nyl("action", "run", exits=1, environ={"RUNNER_TEMP": str(missing)})
    assert "NYL-REPORT-UNWRITABLE" in run.stderr
    assert str(missing) in run.stderr


def test_a_shallow_checkout_plans_as_a_whole_one_does(world: World, runner: Runners) -> None:
    world.pair().initialise().reconcile()
    world.unit("database", writes={"host": "other"}).commit()
    sha = world.commit("Newest")
    whole = runner(merge_group(sha)).run_action(environment="dev")
    shallow = runner(merge_group(sha), world.clone("shallow", "--depth=1")).run_action(environment="dev")
    assert reasons(shallow) == reasons(whole)
    assert shallow.outputs["result"] == whole.outputs["result"]


def reasons(run: StepsRun) -> dict[str, object]:
    units = json.loads(Path(run.outputs["report"]).read_text())["environments"]["dev"]["units"]
    return {name: (unit["action"], unit["reasons"]) for name, unit in units.items()}


def test_a_merge_queue_reconciles_nothing_that_is_on_no_protected_branch(world: World, runner: Runners) -> None:
    world.environment("dev").unit("a").initialise()
    sha = world.commit("Queued", branch="gh-readonly-queue/main/pr-7")
    run = runner(merge_group(sha)).run_action(command="reconcile", environment="dev")
    assert (run.outputs["result"], world.ran()) == ("error", [])
    assert "NYL-SOURCE-UNREACHABLE" in run.text


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_checkout_of_another_user_is_trusted_for_nyl_alone(world: World, runner: Runners) -> None:
    sha = world.environment("dev").unit("a").initialise().git("rev-parse", "HEAD")
    subprocess.run(["chown", "-R", "65534:65534", world.root], check=True)
    run = runner(schedule(sha)).run_action(environment="dev")
    assert (run.failed, run.outputs["result"]) == (False, "changes"), run.text
    assert "safe" not in (world.tmp / "runner-home" / ".gitconfig").read_text()


def test_a_signal_to_the_steps_shell_reaches_nyl(world: World, runner: Runners) -> None:
    begun = world.tmp / "begun"
    world.environment("dev").unit("slow", script=f"touch '{begun}'; exec sleep 60")
    sha = world.initialise().git("rev-parse", "HEAD")

    def interrupt(shell: "subprocess.Popen[bytes]") -> None:
        deadline = time.monotonic() + 30
        while not begun.exists():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        os.kill(shell.pid, signal.SIGINT)

    run = runner(push(sha), watch={"run": interrupt}).run_action(command="reconcile", environment="dev")
    assert (run.step("run").code, run.outputs["result"]) == (4, "uncertain")
    assert not run.step("run").log.stopped
    assert "NYL-RUN-CANCELLED" in run.text


def test_the_digests_of_a_plan_approve_its_changes(world: World, runner: Runners) -> None:
    world.write("plan.sh", "#!/bin/sh\necho '::add-mask::a'; echo one more\n")
    world.environment("dev").unit("a", plan=["./plan.sh"], approval={"mode": "manual", "bind": "plan"})
    sha = world.initialise().git("rev-parse", "HEAD")
    plan = runner(push(sha)).run_action(environment="dev")
    digests = json.loads(plan.outputs["digests"])
    assert (plan.outputs["result"], list(digests)) == ("waiting", ["dev/a"]), plan.text
    assert not plan.step("run").log.annotations("add-mask")
    approve = "\n".join(f"{unit}={digest}" for unit, digest in digests.items())
    run = runner(push(sha)).run_action(command="reconcile", environment="dev", approve=approve)
    assert (run.outputs["result"], world.ran()) == ("clean", ["a"]), run.text


def test_nyl_is_installed_once_from_the_actions_own_folder(world: World, runner: Runners) -> None:
    sha = world.environment("dev").commit()
    libraries = {"PIP_NO_DEPS": "1", "PYTHONPATH": sysconfig.get_path("purelib")}  # spares the download of libraries
    job = runner(push(sha), machine=libraries, stand_ins={"actions/cache": nothing})
    first, again = (job.run_action(command="validate", comment="never") for _ in range(2))
    assert not first.failed, first.text
    installed = Path(first.step("place").outputs["venv"])
    assert world.root not in installed.parents
    assert (installed / "bin" / "nyl").exists()
    assert [each.outcome for each in again.steps] == ["success", "success", "skipped", "skipped", "success"]
    assert again.step("place").outputs == first.step("place").outputs | {"ready": "true"}
