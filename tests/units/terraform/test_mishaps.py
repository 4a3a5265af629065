"""What a Terraform unit comes to when its tool fails, hangs, dies, or prints something else than it should."""

import json
import threading
from pathlib import Path

import pytest

from nyl.units.outcomes import Failed, FailureCategory, Succeeded, Uncertain, Verified
from nyl.units.terraform.plans import bounded
from tests.units.building import eventually
from tests.units.terraform.modules import LOCAL, SIZED, Module

FAKE = """#!/bin/sh
[ "$1" != {command} ] || {{ {does}; }}
case $1 in
version) echo '{{"terraform_version": "1.11.4"}}' ;;
init) mkdir -p "$TF_DATA_DIR"; echo '{{"backend": {{"type": "s3"}}}}' > "$TF_DATA_DIR/terraform.tfstate" ;;
plan) exit 2 ;;
show)
    echo '{{"terraform_version": "1.11.4", "applyable": true,'
    echo '"configuration": {{"root_module": {{"outputs": {{"size": {{}}}}, "variables": {{"size": {{}}}}}}}}}}' ;;
output) echo '{{"size": {{"value": 1, "sensitive": false}}}}' ;;
esac
"""
"""A tool that does as if, but for one command."""

DOES = '#!/bin/sh\n[ "$1" != {command} ] || {{ {does}; }}\nexec "$REAL" "$@"\n'


def failed(outcome: object) -> Failed:
    assert isinstance(outcome, Failed), outcome
    return outcome


@pytest.mark.parametrize("command", ["init", "plan", "show", "apply", "output"])
def test_a_command_that_fails_is_a_failure_that_the_next_run_tries_again(module: Module, command: str) -> None:
    module.declare(size="integer")
    module.tool(FAKE.format(command=command, does="echo 'Error: it is broken'; exit 1"))
    told = failed(module.apply(size=1))
    assert told.retryable
    assert told.message.startswith(f"terraform {command} ended with exit code 1")
    assert (command in ("show", "output")) or told.message.endswith(": it is broken")
    module.tool(FAKE.format(command="none", does="exit 1"))
    assert module.applied() == {"size": 1}


@pytest.mark.parametrize("command", ["plan", "apply"])
def test_a_command_that_was_killed_leaves_the_unit_uncertain(module: Module, command: str) -> None:
    module.tool(FAKE.format(command=command, does="kill -KILL $$"))
    assert module.apply(size=1) == Uncertain("terraform was killed by SIGKILL")


def test_a_timeout_leaves_an_execution_uncertain_and_fails_a_plan(module: Module) -> None:
    module.tool(FAKE.format(command="plan", does="sleep 60"))
    module.context.grace = 0.1
    module.seconds = 1
    assert module.apply(size=1) == Uncertain("terraform passed its timeout of 1s")
    assert failed(module.look()).message == "terraform passed its timeout of 1s"


def test_a_cancelled_run_leaves_an_execution_uncertain(module: Module) -> None:
    module.tool(FAKE.format(command="plan", does="echo planning; sleep 60"))
    canceller = threading.Thread(
        target=lambda: (eventually(lambda: "planning" in module.text), module.cancellation.cancel())
    )
    canceller.start()
    ended = module.apply(size=1)
    canceller.join()
    assert ended == Uncertain("the run was cancelled while terraform ran")


@pytest.mark.parametrize("printed", ["", "[", "3", '{"a": NaN}', '"x"', "null"])
@pytest.mark.parametrize("command", ["show", "output"])
def test_what_is_no_json_of_the_tool_is_a_failure(module: Module, command: str, printed: str) -> None:
    module.declare(size="integer")
    module.tool(FAKE.format(command=command, does=f"printf '%s' '{printed}'; exit 0"))
    assert failed(module.apply(size=1)).retryable


def test_a_number_that_nobody_can_read_is_a_failure(module: Module) -> None:
    module.tool(FAKE.format(command="show", does=f"echo '{{\"n\": {'9' * 5000}}}'; exit 0"))
    assert "cannot be read" in failed(module.apply(size=1)).message


def test_a_plan_that_is_stale_is_not_applied(module: Module) -> None:
    module.applied(size=1)
    touched = 'import json, sys; p = sys.argv[1]; s = json.load(open(p)); s["serial"] += 1; json.dump(s, open(p, "w"))'
    module.tool(DOES.format(command="apply", does=f"python3 -c '{touched}' '{module.state}'"))
    told = failed(module.apply(size=2))
    assert told.category is FailureCategory.EXECUTION
    assert told.retryable
    assert told.message.endswith("apply ended with exit code 1: Saved plan is stale")
    assert module.resources()["box"]["attributes"]["input"]["value"] == 1


def test_a_half_applied_plan_is_recorded_by_the_tool_and_the_rest_is_planned_again(module: Module) -> None:
    bad = 'resource "terraform_data" "bad" {\n  depends_on = [terraform_data.box]\n  provisioner "local-exec" {\n    '
    module.write(LOCAL + SIZED + bad + 'command = "exit 1"\n  }\n}\n')
    told = failed(module.apply(size=1))
    assert told.retryable
    assert "apply ended with exit code 1: local-exec provisioner error" in told.message
    assert set(module.resources()) == {"box", "bad"}
    module.write(LOCAL + SIZED + bad + 'command = "true"\n  }\n}\n')
    assert module.planned().text.count(" must be replaced") == 1
    assert isinstance(module.apply(), Succeeded)


def test_a_module_that_the_tool_cannot_read_says_why(module: Module) -> None:
    module.write(LOCAL + 'resource "terraform_data" "box" {\n')
    assert "init ended with exit code 1" in failed(module.look()).message
    module.write(LOCAL + 'output "x" {\n  value = nothing.here\n}\n')
    assert "plan ended with exit code 1: Reference to undeclared resource" in failed(module.look()).message


def test_a_resource_that_went_behind_the_tools_back_is_drift(module: Module) -> None:
    module.applied(size=1)
    state = json.loads(module.state.read_text())
    state["resources"] = []
    state["serial"] += 1
    module.state.write_text(json.dumps(state))
    assert module.verify(module.driver, module.unit) == Verified(True, "create terraform_data.box, update output size")


def test_only_the_first_changes_are_named_as_drift(module: Module) -> None:
    many = 'resource "terraform_data" "many" {\n  count = 5\n}\n'
    module.write(LOCAL + many)
    first = "create terraform_data.many[0], create terraform_data.many[1], create terraform_data.many[2]"
    assert module.verify(module.driver, module.unit) == Verified(True, f"{first}, and 2 more")


def test_the_same_change_has_one_digest_in_two_folders(tmp_path: Path) -> None:
    call = 'module "pg" {\n  source = "../pg"\n}\nresource "terraform_data" "p" {\n  input = path.module\n}\n'
    digests = []
    for name in ("one", "another"):
        module = Module(tmp_path / name)
        module.spec["files"] = ["infra/**"]
        module.write(LOCAL + SIZED + call)
        module.write('output "x" {\n  value = 1\n}\n', "infra/pg/main.tf")
        digests.append(module.planned(size=1).digest)
    assert digests[0] == digests[1]
    assert module.planned(size=2).digest != digests[0]


def test_a_very_long_plan_keeps_its_beginning_and_what_it_says_of_each_resource() -> None:
    text = "intro\n" + "".join(f"  # box[{n}] will be destroyed\n  - resource {{\n    }}\n" for n in range(100))
    short = bounded(text, 500)
    assert short.startswith("intro\n  # box[0] will be destroyed\n  - resource {\n")
    assert all(f"  # box[{n}] will be destroyed\n" in short for n in range(100))
    assert short.count("- resource") < 15
    assert bounded(text, len(text)) == text
