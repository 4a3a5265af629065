"""The runner of the tests itself: what others rely on."""

import sys
from pathlib import Path

import pytest

from tests.support.actions_events import pull_request, push
from tests.support.actions_expressions import Contexts, Status
from tests.support.actions_runner import ActionsRunner
from tests.support.environment import clean_environment
from tests.support.runner_commands import process
from tests.support.runner_files import parse_values

VALUES = {
    "github": {"event_name": "push", "event": {"labels": [{"name": "a"}, {"name": "b"}]}, "ref": "refs/heads/main"},
    "inputs": {"flag": "true", "empty": "", "with-dash": "x"},
    "steps": {"one": {"outputs": {"n": "3"}}},
}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("github.event_name == 'PUSH'", True),
        ("inputs.flag != 'true' || inputs.empty == ''", True),
        ("inputs.empty || 'default'", "default"),
        ("github.event_name == 'push' && 'yes' || 'no'", "yes"),
        ("!startsWith(github.ref, 'refs/tags/')", True),
        ("contains(github.event.labels.*.name, 'b')", True),
        ("inputs['with-dash']", "x"),
        ("steps.one.outputs.n > 2", True),
        ("github.event.pull_request.head.sha", None),
        ("format('{0}/{1}', 'it''s', inputs.with-dash)", "it's/x"),
        ("fromJSON('[1, 2]')[1]", 2),
        ("(true && false) == false", True),
    ],
)
def test_expressions(expression: str, value: object) -> None:
    assert Contexts(VALUES).evaluate(expression) == value


@pytest.mark.parametrize(
    ("condition", "failed", "runs"),
    [
        (None, False, True),
        (None, True, False),
        ("always()", True, True),
        ("failure()", True, True),
        ("inputs.flag == 'true'", True, False),
        ("${{ inputs.flag == 'true' }}", False, True),
        ("!cancelled()", True, True),
    ],
)
def test_conditions(condition: str | None, failed: bool, runs: bool) -> None:
    assert Contexts(VALUES, Status(failed)).holds(condition) is runs


def test_commands_stop_and_resume() -> None:
    log = process(["::stop-commands::t", "::error::a", "##[error]b", "::T::", " ::error::c", "x ##[warning]d"])
    assert [(each.name, each.data) for each in log.commands] == [("error", "c"), ("warning", "d")]
    assert log.text == ["::error::a", "##[error]b"]


@pytest.mark.parametrize("text", ["nothing", "a<<X\nb\n", "=x", "<<X\nX\n"])
def test_files_that_the_runner_refuses(text: str) -> None:
    with pytest.raises(ValueError):
        parse_values(text)


JOB = """
on: push
env: {A: workflow, B: workflow}
jobs:
  one:
    runs-on: ubuntu-latest
    env: {B: job}
    outputs: {said: "${{ steps.two.outputs.said }}"}
    steps:
      - uses: actions/checkout@v0
      - id: first
        run: |
          echo "C=set" >> "$GITHUB_ENV"
          mkdir -p bin && printf '#!/bin/sh\\necho mine' > bin/mine && chmod +x bin/mine
          echo "$PWD/bin" >> "$GITHUB_PATH"
          echo "# Summary" >> "$GITHUB_STEP_SUMMARY"
      - id: two
        env: {B: step}
        run: echo "said=$A $B $C $(mine) ${{ github.ref_name }}" >> "$GITHUB_OUTPUT"
      - id: fails
        run: false | true; echo pipes; exit 3
      - id: skipped
        run: exit 9
      - id: last
        if: always()
        run: echo "${{ steps.fails.outcome }}"
"""


def test_a_jobs_steps_run_as_the_runner_runs_them(tmp_path: Path) -> None:
    (tmp_path / "job.yml").write_text(JOB)
    runner = ActionsRunner(tmp_path, tmp_path, clean_environment(tmp_path / "home"), push("0" * 40))
    run = runner.run_job(tmp_path / "job.yml", "one")
    assert run.failed
    assert run.outputs == {"said": "workflow step set mine main"}
    assert run.step("first").summary == "# Summary\n"
    assert (run.step("fails").code, run.step("fails").lines) == (3, ["pipes"])
    assert run.step("skipped").outcome == "skipped"
    assert run.step("last").lines == ["failure"]


ACTION = """
inputs: {name: {default: "${{ github.actor }}"}}
outputs: {greeting: {value: "${{ steps.greet.outputs.text }}"}}
runs:
  using: composite
  steps:
    - {id: python, uses: actions/setup-python@v0}
    - id: greet
      shell: bash
      env: {NAME: "${{ inputs.name }}", PYTHON: "${{ steps.python.outputs.python-path }}"}
      run: |
        echo "text=$NAME $PYTHON $GITHUB_EVENT_NAME" >> "$GITHUB_OUTPUT"
        false | true
"""


def test_a_composite_actions_steps_run_with_its_inputs(tmp_path: Path) -> None:
    (tmp_path / "action.yml").write_text(ACTION)
    event = pull_request("0" * 40, head="1" * 40)
    runner = ActionsRunner(tmp_path, tmp_path, clean_environment(tmp_path / "home"), event)
    run = runner.run_action(tmp_path)
    assert run.outputs == {"greeting": f"octocat {sys.executable} pull_request"}
    assert run.failed  # pipefail
