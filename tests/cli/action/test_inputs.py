from collections.abc import Mapping

import pytest

from nyl.cli.action.inputs import PREFIX, ActionInputs, CommentMode, Operation, action_inputs
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError


def variables(inputs: Mapping[str, str]) -> dict[str, str]:
    return {PREFIX + name.upper().replace("-", "_"): value for name, value in inputs.items()}


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({}, ActionInputs(Operation.PLAN)),
        ({"command": " verify "}, ActionInputs(Operation.VERIFY)),
        (
            {"environment": "dev, staging\nproduction dev"},
            ActionInputs(Operation.PLAN, environments=("dev", "staging", "production")),
        ),
        ({"group": "all"}, ActionInputs(Operation.PLAN, groups=("all",))),
        ({"selector": "a=b,c=d\ne=f"}, ActionInputs(Operation.PLAN, selectors=("a=b,c=d", "e=f"))),
        (
            {"args": "--reason\r\nit must, be so\n\n  --fail-fast  \n"},
            ActionInputs(Operation.PLAN, arguments=("--reason", "it must, be so", "--fail-fast")),
        ),
        ({"working-directory": "infra"}, ActionInputs(Operation.PLAN, working_directory="infra")),
        (
            {"comment": "never", "comment-key": "k"},
            ActionInputs(Operation.PLAN, comment=CommentMode.NEVER, comment_key="k"),
        ),
        (
            {"command": "reconcile", "approve": "db\nweb=sha256:00\n", "allow-teardown": "True"},
            ActionInputs(Operation.RECONCILE, approve=("db", "web=sha256:00"), allow_teardown=True),
        ),
        (
            {"summary": "false", "fail-on-waiting": "true"},
            ActionInputs(Operation.PLAN, summary=False, fail_on_waiting=True),
        ),
        ({"command": "teardown", "environment": "dev"}, ActionInputs(Operation.TEARDOWN, environments=("dev",))),
    ],
)
def test_inputs_are_read_from_variables(inputs: dict[str, str], expected: ActionInputs) -> None:
    assert action_inputs(variables(inputs)) == expected


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"command": "destroy"}, ["command is 'destroy'"]),
        ({"summary": "yes", "comment": "sometimes"}, ["summary is 'yes'", "comment is 'sometimes'"]),
        ({"allow-teardown": "true"}, ["allow-teardown does nothing for the command plan"]),
        ({"command": "verify", "approve": "db"}, ["approve does nothing for the command verify"]),
        ({"comment-key": "k" * 201}, ["comment-key has 201 characters"]),
        ({"command": "teardown"}, ["exactly one environment"]),
        ({"command": "teardown", "environment": "a b"}, ["exactly one environment"]),
        ({"command": "teardown", "environment": "a", "group": "g"}, ["exactly one environment"]),
    ],
)
def test_every_wrong_input_is_told(inputs: dict[str, str], words: list[str]) -> None:
    with pytest.raises(NylError) as refused:
        action_inputs(variables(inputs))
    told = refused.value.diagnostics
    assert {each.code for each in told} == {Code.ACTION_INPUT}
    assert len(told) == len(words)
    assert all(any(text in each.message for each in told) for text in words)


def test_the_token_is_in_no_text_of_the_inputs() -> None:
    inputs = action_inputs(variables({"github-token": "ghs_secret"}))
    assert inputs.token == "ghs_secret"
    assert "ghs_secret" not in repr(inputs)
