"""States that the tool cannot write to their backend, and leaves beside the module."""

import json
import stat
from pathlib import Path

import pytest

from nyl.units.driver import ReceiptFacts
from nyl.units.execution import native
from nyl.units.outcomes import Failed, NativeCommand, Uncertain
from tests.units.terraform.modules import Module

LOST = """#!/bin/sh
case $1 in
apply) "$REAL" "$@" >/dev/null && mv {state} errored.tfstate; echo 'Error: Failed to save state'; {ends} ;;
state) {pushes}; exec "$REAL" "$@" ;;
*) exec "$REAL" "$@" ;;
esac
"""
"""A tool whose apply does its work, and cannot write the state."""


def losing(module: Module, pushes: str = "true", ends: str = "exit 1") -> None:
    module.tool(LOST.format(state=module.state, pushes=pushes, ends=ends))


def kept(module: Module) -> Path:
    (found,) = (module.context.cache / "terraform" / "unsaved").glob("dev-db-*.tfstate")
    return found


@pytest.fixture
def own(tmp_path: Path, module: Module) -> Module:
    """A unit with a cache of its own."""
    module.context.shared = tmp_path / "cache"
    return module


def test_a_state_that_was_left_is_written_once_the_backend_takes_it(own: Module) -> None:
    losing(own)
    found = own.apply(size=1)
    assert isinstance(found, Failed)
    assert found.retryable
    made = own.resources()["box"]["attributes"]["id"]
    own.tool('#!/bin/sh\nexec "$REAL" "$@"\n')
    own.applied()
    assert own.resources()["box"]["attributes"]["id"] == made


@pytest.mark.parametrize("pushes", ["exit 1", "kill -KILL $$"])
def test_a_state_that_cannot_be_written_is_kept_and_nothing_is_applied_before_somebody_decided(
    own: Module, pushes: str
) -> None:
    losing(own, pushes)
    found = own.apply(size=1)
    assert isinstance(found, Failed)
    assert not found.retryable
    file = kept(own)
    assert f"nyl exec -e dev --unit db -- state push {file}" in found.message
    assert json.loads(file.read_text())["resources"][0]["name"] == "box"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_state_of_an_apply_that_was_killed_is_kept(own: Module) -> None:
    losing(own, ends="kill -KILL $$")
    found = own.apply(size=1)
    assert isinstance(found, Uncertain)
    assert str(kept(own)) in found.reason


def test_the_state_that_an_operators_command_could_not_write_is_kept_too(own: Module) -> None:
    losing(own)
    own.spec["variables"] = {"size": 1}
    own.context.start_over()
    prepared = native(own.driver, own.unit, own.context, ReceiptFacts(), ["apply", "-auto-approve"])
    assert isinstance(prepared, NativeCommand), prepared
    assert own.context.run_native(prepared, lambda _: None).exit_code == 1
    (warning,) = own.context.warnings
    assert str(kept(own)) in warning.message


def test_a_state_that_cannot_be_kept_either_is_told(own: Module) -> None:
    losing(own, pushes="exit 1")
    folder = own.context.cache / "terraform" / "unsaved"
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("no folder")
    found = own.apply(size=1)
    assert isinstance(found, Failed)
    assert not found.retryable
    assert "could not be kept either" in found.message
