"""What a root module declares is asked of the tool once, as long as its files and the tool stay the same."""

import json
from pathlib import Path

import pytest

from nyl.units.outcomes import Failed, Succeeded
from tests.units.terraform.modules import LOCAL, SHOWN, SIZED, Module


@pytest.fixture
def known(either: Module, tmp_path: Path) -> Module:
    """A unit that was executed, whose module is known to say that its output is sensitive, which is not so."""
    either.context.shared = tmp_path / "shared"
    either.declare(size="integer")
    either.applied(size=1)
    told = json.loads(remembered(either).read_text())
    remembered(either).write_text(json.dumps({**told, "outputs": {"size": True}}))
    return either


def remembered(module: Module) -> Path:
    (place,) = (module.context.cache / "terraform" / "modules").iterdir()
    return place


def trusts_what_it_knows(module: Module, approved: str | None = None, size: int = 2) -> bool:
    outcome = module.apply(approved, size=size)
    if isinstance(outcome, Succeeded):
        return False
    assert isinstance(outcome, Failed)
    assert "to be sensitive" in outcome.message
    return True


def test_a_module_that_is_known_is_not_asked_for_again(known: Module) -> None:
    assert trusts_what_it_knows(known)


def test_a_file_that_changed_makes_another_module(known: Module) -> None:
    known.write(LOCAL + SIZED + SHOWN + "\n")
    assert not trusts_what_it_knows(known)


def test_a_file_that_came_makes_another_module(known: Module) -> None:
    known.write('output "size" {\n  value = 3\n}\n', "infra/db/size_override.tf")
    assert not trusts_what_it_knows(known)


def test_an_approved_change_and_an_empty_one_are_always_looked_at(known: Module) -> None:
    assert not trusts_what_it_knows(known, size=1)
    assert not trusts_what_it_knows(known, known.planned(size=2).digest)


def test_a_script_may_be_another_tool_each_time(known: Module) -> None:
    known.tool('#!/bin/sh\nexec $REAL "$@"\n')
    assert not trusts_what_it_knows(known)


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"outputs": 3, "variables": []}', '{"outputs": {}}', "\\xff"])
def test_what_is_damaged_is_asked_again(known: Module, damage: str) -> None:
    remembered(known).write_text(damage)
    assert not trusts_what_it_knows(known)
    assert json.loads(remembered(known).read_text())["outputs"] == {"size": False}


def test_a_known_module_gets_values_that_no_plan_holds_when_they_come_later(either: Module, tmp_path: Path) -> None:
    either.context.shared = tmp_path / "shared"
    either.write(LOCAL + SIZED + SHOWN + 'variable "token" {\n  ephemeral = true\n  default = null\n}\n')
    either.applied(size=1)
    assert remembered(either).exists()
    either.applied(size=2, token="b")
    assert either.resources()["box"]["attributes"]["output"]["value"] == 2


def test_a_cache_that_cannot_be_written_costs_nothing_else(module: Module, tmp_path: Path) -> None:
    module.context.shared = tmp_path / "shared"
    (module.context.cache / "terraform").mkdir(parents=True)
    (module.context.cache / "terraform" / "modules").touch()
    module.applied(size=1)
    module.applied(size=2)
