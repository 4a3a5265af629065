"""Who writes state: the runner's name."""

import pytest

from nyl.engine.states import ci_run, runner_name

CI = {
    "GITHUB_ACTIONS": "true",
    "GITHUB_SERVER_URL": "https://github.example",
    "GITHUB_REPOSITORY": "acme/site",
    "GITHUB_RUN_ID": "77",
    "GITHUB_RUN_ATTEMPT": "3",
    "USER": "runner",
}


def test_a_ci_run_is_named_by_its_url_with_its_attempt() -> None:
    assert runner_name(CI) == "https://github.example/acme/site/actions/runs/77/attempts/3"


@pytest.mark.parametrize(
    ("environ", "user"),
    [
        ({"USER": "alice", "LOGNAME": "bob"}, "alice"),
        ({"LOGNAME": "bob"}, "bob"),
        ({}, "unknown"),
        ({"GITHUB_RUN_ID": "77", "USER": "alice"}, "alice"),
        ({"GITHUB_ACTIONS": "true", "USER": "alice"}, "alice"),
        ({"USER": "al\x85\udce9ice"}, "al??ice"),
    ],
)
def test_anybody_else_is_user_and_host(environ: dict[str, str], user: str) -> None:
    assert runner_name(environ).startswith(f"{user}@")
    assert not runner_name(environ).endswith("@")


@pytest.mark.parametrize(
    ("environ", "run"),
    [
        (CI, "https://github.example/acme/site/actions/runs/77/attempts/3"),
        ({"CI": "true", "CI_JOB_URL": "https://ci/1"}, "https://ci/1"),
        ({"CI": "1"}, "ci"),
        ({}, None),
        ({"CI": "false"}, None),
        ({"CI": "0"}, None),
        ({"CI": ""}, None),
    ],
)
def test_a_runner_that_says_nothing_of_ci_is_a_workstation(environ: dict[str, str], run: str | None) -> None:
    assert ci_run(environ) == run
