"""The first project of the page on Terraform, typed as it stands there."""

import re
import subprocess
from pathlib import Path

from tests.support.environment import clean_environment
from tests.support.tools import terraform

PAGE = Path(__file__).parents[2] / "docs/guide/infrastructure.md"


def test_the_first_module_is_applied(tmp_path: Path) -> None:
    commands = re.search(r"^```sh\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert commands is not None
    environ = clean_environment(tmp_path / "home") | {"TMPDIR": str(tmp_path)}
    environ["PATH"] = f"{terraform().parent}:{environ['PATH']}"
    folder = tmp_path / "project"
    folder.mkdir()
    done = subprocess.run(
        ["sh", "-e", "-c", commands[1]], cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"network +Terraform +executed", done.stdout)
    assert re.fullmatch(r"[0-9a-f-]{36}", done.stdout.splitlines()[-1])
