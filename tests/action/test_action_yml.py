"""What action.yml says, without running it."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from nyl.cli.action.inputs import PREFIX
from tests.support.actions_runner import ACTION

DOCUMENT: dict[str, Any] = yaml.safe_load((ACTION / "action.yml").read_text())
STEPS: list[dict[str, Any]] = DOCUMENT["runs"]["steps"]
PAGE = (ACTION / "docs" / "guide" / "github-action.md").read_text()


def scripts() -> Iterator[str]:
    return (step["run"] for step in STEPS if "run" in step)


def test_no_expression_stands_in_a_script() -> None:
    assert all("${{" not in script for script in scripts())


def test_other_actions_are_pinned_by_commit_with_their_version_beside() -> None:
    lines = re.findall(r"^\s*-? ?uses: (.*)$", (ACTION / "action.yml").read_text(), re.MULTILINE)
    assert lines
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line) for line in lines)


def test_every_input_reaches_nyl_as_a_variable() -> None:
    handed = {value: name for step in STEPS for name, value in step.get("env", {}).items()}
    for name in set(DOCUMENT["inputs"]) - {"python-version"}:
        assert handed[f"${{{{ inputs.{name} }}}}"] == PREFIX + name.upper().replace("-", "_")


def test_every_output_comes_from_the_step_that_runs_nyl() -> None:
    assert all(each["value"] == f"${{{{ steps.run.outputs.{name} }}}}" for name, each in DOCUMENT["outputs"].items())


def test_the_last_shell_becomes_nyl() -> None:
    assert STEPS[-1]["run"].startswith("exec ")


@pytest.mark.parametrize("section", ["inputs", "outputs"])
def test_the_guide_describes_what_there_is(section: str) -> None:
    for name, told in DOCUMENT[section].items():
        default = told.get("default")
        cells = [
            f"`{name}`",
            *([f"`{default}`" if default else ""] if section == "inputs" else []),
            told["description"],
        ]
        assert f"| {' | '.join(cells)} |" in PAGE
