"""What the workflows say, without running them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from nyl import __version__
from tests.support.actions_runner import ACTION

FILES = sorted((ACTION / "workflows").iterdir())
OWN = f"nyl-dev/nyl@v{__version__}"
WRITERS = {"nyl-approve.approve", "nyl-operate.operate", "nyl-reconcile.reconcile", "nyl-verify.verify"}


def documents() -> Iterator[tuple[str, dict[str, Any]]]:
    for file in FILES:
        yield file.stem, yaml.load(file.read_text(), yaml.BaseLoader)


def jobs() -> dict[str, dict[str, Any]]:
    return {f"{name}.{job}": told for name, document in documents() for job, told in document["jobs"].items()}


def steps(told: dict[str, Any], action: str) -> list[dict[str, Any]]:
    return [each for each in told["steps"] if each.get("uses", "").startswith(f"{action}@")]


def test_the_guides_name_the_action_by_this_version() -> None:
    pages = "".join(each.read_text() for each in (ACTION / "docs").rglob("*.md"))
    assert set(re.findall(r"nyl-dev/nyl@\S+", pages)) == {OWN}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_scripts_hold_no_expression_and_actions_are_pinned(file: Path) -> None:
    document = yaml.load(file.read_text(), yaml.BaseLoader)
    scripts = [step["run"] for job in document["jobs"].values() for step in job["steps"] if "run" in step]
    assert all("${{" not in each for each in [*scripts, document["env"].get("AWAITING", "")])
    assert {word for each in scripts for word in re.findall(r"(\S+) nyl ", each)} <= {"exec"}, "signals must arrive"
    used = re.findall(r"uses: (.*)$", file.read_text(), re.MULTILINE)
    assert OWN in used
    others = [each for each in used if each != OWN]
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each) for each in others)


def test_each_job_has_the_permissions_that_it_needs_and_no_more() -> None:
    assert all(document["permissions"] == {} for _, document in documents())
    for name, told in jobs().items():
        wanted = {"contents": "write" if name in WRITERS else "read"}
        if name == "nyl-plan.plan":
            wanted["pull-requests"] = "write"
        if name in WRITERS and "environment" in told:
            wanted["actions"] = "read"
        assert told["permissions"] == wanted, name


def test_what_writes_an_environment_stands_behind_its_gate() -> None:
    gated = {name for name, told in jobs().items() if "environment" in told}
    assert gated == WRITERS - {"nyl-verify.verify"}  # a schedule has nobody to ask
    assert jobs()["nyl-reconcile.reconcile"]["concurrency"]["cancel-in-progress"] == "false"


def test_credentials_stay_only_where_remotes_are_asked() -> None:
    kept = {name: steps(told, "actions/checkout")[0]["with"]["persist-credentials"] for name, told in jobs().items()}
    commands = {name: [each["with"]["command"] for each in steps(told, "nyl-dev/nyl")] for name, told in jobs().items()}
    assert {name for name, each in kept.items() if each == "false"} == {
        name for name, each in commands.items() if each == ["validate"]
    }


def test_no_workflow_is_started_by_what_nyl_pushes() -> None:
    for name, document in documents():
        events = document["on"]
        assert set(events) <= {"pull_request", "merge_group", "push", "schedule", "workflow_dispatch"}, name
        assert all(events[each] == {"branches": ["main"]} for each in ("push", "pull_request") if each in events)
