"""The digest of a plan: one for each change, whoever plans it."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from nyl.units.terraform.changes import JSON_HOOKS, PlanUnreadable, read_plan

PLAN: dict[str, Any] = {
    "terraform_version": "1.11.4",
    "applyable": True,
    "resource_changes": [
        {
            "address": "aws_db.main",
            "change": {
                "actions": ["update"],
                "before": {"size": 1, "tags": ["a", "b"], "password": "old"},
                "after": {"size": 2, "tags": ["a", "b"], "password": "new"},
                "after_unknown": {"tags": [False, False]},
                "before_sensitive": {"password": True, "tags": [False, False]},
                "after_sensitive": {"password": True, "tags": [False, False]},
            },
        },
        {
            "address": "aws_vpc.main",
            "change": {"actions": ["create"], "before": None, "after": {"cidr": "10/8"}, "after_unknown": {"id": True}},
        },
        {"address": "aws_vpc.old", "change": {"actions": ["no-op"], "before": {"id": "1"}, "after": {"id": "1"}}},
    ],
    "output_changes": {
        "host": {"actions": ["update"], "before": "a", "after": "b", "after_unknown": False},
        "same": {"actions": ["no-op"], "before": "a", "after": "a", "after_unknown": False},
    },
    "configuration": {"root_module": {"outputs": {"host": {}, "key": {"sensitive": True}}, "variables": {"size": {}}}},
}


def edited(edit: Callable[[Any], object]) -> dict[str, Any]:
    plan = copy.deepcopy(PLAN)
    edit(plan)
    return plan


def digest(plan: Any) -> str:
    return read_plan(plan, destroy=False).change.digest


def resource(plan: Any, index: int = 0) -> Any:
    return plan["resource_changes"][index]


def change(plan: Any, index: int = 0) -> Any:
    return resource(plan, index)["change"]


SAME: dict[str, Callable[[Any], object]] = {
    "another order": lambda plan: plan["resource_changes"].reverse(),
    "a resource that stays": lambda plan: change(plan, 2).update(before={"id": "2"}, after={"id": "2"}),
    "an output that stays": lambda plan: plan["output_changes"].pop("same"),
    "sensitive values": lambda plan: change(plan)["after"].update(password="newer"),
    "the time": lambda plan: plan.update(timestamp="2026-01-01T00:00:00Z"),
    "an unknown value that is told as null": lambda plan: change(plan, 1)["after"].update(id=None),
}

OTHER: dict[str, Callable[[Any], object]] = {
    "an address": lambda plan: resource(plan).update(address="aws_db.other"),
    "actions": lambda plan: change(plan).update(actions=["delete", "create"]),
    "a value before": lambda plan: change(plan)["before"].update(size=0),
    "a value after": lambda plan: change(plan)["after"].update(size=3),
    "a type": lambda plan: change(plan)["after"].update(size="2"),
    "a value that appears": lambda plan: change(plan)["after"].update(more=None),
    "what is known": lambda plan: change(plan)["after_unknown"].update(size=True),
    "what is sensitive": lambda plan: change(plan)["after_sensitive"].update(size=True),
    "an order in a list": lambda plan: change(plan)["after"].update(tags=["b", "a"]),
    "a part of a list that is unknown": lambda plan: change(plan)["after_unknown"].update(tags=[False, True]),
    "a resource less": lambda plan: plan["resource_changes"].pop(0),
    "a deposed object": lambda plan: resource(plan).update(deposed="byebye"),
    "a resource that moves": lambda plan: resource(plan, 2).update(previous_address="aws_vpc.older"),
    "a resource that is imported": lambda plan: change(plan, 2).update(importing={"id": "vpc-1"}),
    "an output": lambda plan: plan["output_changes"]["host"].update(after="c"),
    "an output that goes": lambda plan: plan["output_changes"]["host"].update(actions=["delete"], after=None),
    "an output that is unknown": lambda plan: plan["output_changes"]["host"].update(after_unknown=True),
}


@pytest.mark.parametrize("what", SAME)
def test_the_same_change_has_the_same_digest(what: str) -> None:
    assert digest(edited(SAME[what])) == digest(PLAN)


@pytest.mark.parametrize("what", OTHER)
def test_another_change_has_another_digest(what: str) -> None:
    assert digest(edited(OTHER[what])) != digest(PLAN)


def test_removing_is_another_change_than_executing() -> None:
    assert read_plan(PLAN, destroy=True).change.digest != digest(PLAN)


@pytest.mark.parametrize(
    ("one", "another"),
    [
        ("12345678901234567890123456789012345678901", "12345678901234567890123456789012345678902"),
        ("0.12345678901234567890123456789", "0.12345678901234567890123456788"),
        ("1", "1.5"),
    ],
)
def test_numbers_count_with_every_digit(one: str, another: str) -> None:
    def plan(number: str) -> Any:
        text = json.dumps(edited(lambda plan: change(plan)["after"].update(size="NUMBER")))
        return json.loads(text.replace('"NUMBER"', number), **JSON_HOOKS)

    assert digest(plan(one)) != digest(plan(another))
    assert digest(plan(one)) == digest(plan(one))


def test_what_changes_is_told_in_a_few_words() -> None:
    assert read_plan(PLAN, destroy=False).change.steps == (
        "update aws_db.main",
        "create aws_vpc.main",
        "update output host",
    )
    replaced = edited(lambda plan: change(plan).update(actions=["create", "delete"]))
    moved = edited(lambda plan: resource(plan, 2).update(previous_address="aws_vpc.older"))
    assert read_plan(replaced, destroy=False).change.steps[0] == "replace aws_db.main"
    assert "move aws_vpc.old" in read_plan(moved, destroy=False).change.steps


def test_the_modules_outputs_and_variables_are_known() -> None:
    found = read_plan(PLAN, destroy=False)
    assert found.module.outputs == {"host": False, "key": True}
    assert found.module.variables == {"size"}
    assert found.module.version == "1.11.4"
    assert found.change.applyable is True
    assert read_plan(edited(lambda plan: plan.pop("applyable")), destroy=False).change.applyable is None


@pytest.mark.parametrize(
    "plan", [[], None, "plan", {}, {**PLAN, "resource_changes": [{}]}, {**PLAN, "output_changes": 3}]
)
def test_what_is_no_plan_is_refused(plan: Any) -> None:
    with pytest.raises(PlanUnreadable):
        read_plan(plan, destroy=False)
