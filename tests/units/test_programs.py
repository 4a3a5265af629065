"""Programs that belong to the project and to no unit."""

from collections.abc import Callable
from pathlib import Path

import pytest

from nyl.core.cancellation import CancellationToken
from nyl.units.programs import ProjectPrograms

Run = Callable[..., bytes]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    environ = {"PATH": "/usr/bin:/bin", "VAULT": "v", "GIT_DIR": "/decoy", "GIT_SSH_COMMAND": "ssh"}
    programs = ProjectPrograms(tmp_path, environ, CancellationToken())
    return lambda script, seconds=30.0: programs(["/bin/sh", "-c", script], seconds)


def test_stdout_is_given_and_stderr_dropped(run: Run, tmp_path: Path) -> None:
    assert run("pwd; echo noise >&2").decode() == f"{tmp_path}\n"


def test_the_runner_s_environment_is_there_without_that_of_a_hook(run: Run) -> None:
    assert run('echo "$VAULT|$GIT_DIR|$GIT_SSH_COMMAND"') == b"v||ssh\n"


@pytest.mark.parametrize(
    ("script", "error"),
    [("echo hunter22; exit 3", ChildProcessError), ("kill -9 $$", ChildProcessError), ("sleep 60", TimeoutError)],
)
def test_a_program_that_does_not_end_well_raises_without_what_it_printed(
    run: Run, script: str, error: type[OSError]
) -> None:
    with pytest.raises(error) as caught:
        run(script, 0.5)

    assert "hunter22" not in str(caught.value)


def test_a_missing_program_is_told_from_one_that_cannot_run(tmp_path: Path) -> None:
    programs = ProjectPrograms(tmp_path, {"PATH": "/bin"}, CancellationToken())
    (tmp_path / "plain").write_text("")

    with pytest.raises(FileNotFoundError):
        programs(["no-such-program"], 5)
    with pytest.raises(OSError, match="not an executable"):
        programs(["./plain"], 5)
