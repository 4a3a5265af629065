"""A Terraform or OpenTofu unit through its life, on the real tool."""

import json
import signal
import threading

from nyl.core.canonical import is_digest
from nyl.units.driver import RecoveryPolicy
from nyl.units.outcomes import (
    AwaitingApproval,
    Planned,
    Removed,
    Succeeded,
    Uncertain,
    Verified,
)
from nyl.units.terraform.driver import TerraformDriver
from tests.units.building import eventually
from tests.units.terraform.modules import LOCAL, SIZED, Module, waits


def test_a_unit_is_planned_applied_verified_changed_and_torn_down(either: Module) -> None:
    program = either.driver.program
    either.declare(size="integer")
    planned = either.planned(size=3)
    assert "terraform_data.box will be created" in planned.text
    assert is_digest(planned.digest)
    assert not either.state.exists()
    assert either.apply(size=3) == Succeeded({"size": 3}, versions={program: either.version})
    assert either.verify(either.driver, either.unit) == Verified(False)
    assert either.planned() == Planned("", either.planned().digest)
    either.spec["variables"]["size"] = 4
    assert either.verify(either.driver, either.unit) == Verified(True, "update terraform_data.box, update output size")
    assert either.applied() == {"size": 4}
    assert either.destroy() == Removed()
    assert either.resources() == {}
    assert either.destroy() == Removed()


def test_what_init_plan_and_apply_print_is_shown_and_structured_output_is_not(either: Module) -> None:
    either.declare(size="integer")
    either.applied(size=3)
    for said in (
        "Initializing the backend",
        "terraform_data.box will be created",
        "Apply complete! Resources: 1 added",
    ):
        assert said in either.text
    for private in ("terraform_version", "planned_values", '"sensitive"', "\x1b"):
        assert private not in either.text


def test_nothing_is_left_in_the_checkout_and_the_plan_is_gone_with_the_private_folder(module: Module) -> None:
    before = sorted(module.checkout.rglob("*"))
    module.applied(size=3)
    assert sorted(module.checkout.rglob("*")) == before
    assert (module.temporary / "plan").exists()


def test_an_empty_plan_skips_the_apply_and_gives_the_outputs(module: Module) -> None:
    module.declare(size="integer")
    module.applied(size=3)
    module.lines.clear()
    assert module.applied() == {"size": 3}
    assert "Apply complete" not in module.text


def test_only_the_approved_change_is_applied(either: Module) -> None:
    approved = either.planned(size=3).digest
    assert waits(either.apply(approved, size=4)).digest == either.planned().digest
    assert not either.state.exists()
    assert isinstance(either.apply(approved, size=3), Succeeded)


def test_only_the_approved_removal_is_carried_out(module: Module) -> None:
    module.applied(size=3)
    destroyed = module.plan_teardown(module.driver, module.unit)
    assert isinstance(destroyed, Planned)
    assert "will be destroyed" in destroyed.text
    assert module.destroy("sha256:" + "0" * 64) == AwaitingApproval(destroyed.digest)
    assert "box" in module.resources()
    assert module.destroy(destroyed.digest) == Removed()


def test_an_execution_converges_whatever_became_of_it() -> None:
    assert TerraformDriver().recovery({}) is RecoveryPolicy.CONVERGE
    assert TerraformDriver().teardown_recovery({}) is RecoveryPolicy.CONVERGE


def test_an_interrupted_apply_saves_its_state_and_the_next_one_goes_on(either: Module) -> None:
    slow = 'resource "terraform_data" "slow" {\n  provisioner "local-exec" {\n    command = "sleep 60"\n  }\n'
    either.write(LOCAL + SIZED + slow + "  depends_on = [terraform_data.box]\n}\n")

    def cancel() -> None:
        eventually(lambda: "Executing:" in either.text)
        either.cancellation.cancel(signal.SIGTERM)

    either.context.grace = 30
    canceller = threading.Thread(target=cancel)
    canceller.start()
    ended = either.apply(size=3)
    canceller.join()
    assert isinstance(ended, Uncertain)
    assert "cancelled" in ended.reason
    resources = either.resources()
    assert resources["box"]["attributes"]["output"]["value"] == 3
    # What the signal met in the moment before the tool noted it is not in the state; it is never there as if whole.
    assert "slow" not in resources or resources["slow"]["status"] == "tainted"
    assert not list(either.state.parent.glob(".*lock*"))


def test_a_tainted_resource_is_replaced(module: Module) -> None:
    module.applied(size=3)
    state = json.loads(module.state.read_text())
    state["resources"][0]["instances"][0]["status"] = "tainted"
    state["serial"] += 1
    module.state.write_text(json.dumps(state))
    assert "is tainted, so must be replaced" in module.planned().text
    assert module.verify(module.driver, module.unit) == Verified(True, "replace terraform_data.box, update output size")
