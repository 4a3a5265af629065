"""The suite that every driver must pass, on the kinds Terraform and OpenTofu with the real tool."""

from collections.abc import Mapping

import pytest

from nyl.project.units import OutputDeclaration
from nyl.units.conformance import aftercare_problems, driver_problems, interruption_problems, secret_problems
from nyl.units.mishaps import Mishap
from tests.units.terraform.modules import Module

SECRET = {"TF_VAR_token": "correct-horse-battery"}
GUARDED = """
variable "token" {
  sensitive = true
}
output "token" {
  value     = var.token
  sensitive = true
}
"""


@pytest.fixture
def sized(module: Module) -> Module:
    """The unit with a value for its variable, and its output declared."""
    module.spec["variables"] = {"size": 3}
    module.declare(size="integer")
    return module


def admitted(module: Module) -> Mapping[str, str]:
    return {name: value for name, value in module.context.variables.items() if name != "TMPDIR"}


def test_it_keeps_its_promises(either: Module) -> None:
    path = {"path": "infra/db"}
    other = {**path, "repositoryRef": {"name": "shared"}, "revision": "main", "commit": "a" * 40}

    specs = [
        {"source": path},
        {
            "source": path,
            "files": ["infra/**"],
            "version": "1.9.5",
            "backend": {"path": "/s"},
            "varFiles": ["a.tfvars"],
        },
        {"source": other, "variables": {"size": 3, "names": ["a"], "map": {"b": {"c": "d"}}}},
    ]
    assert driver_problems(either.driver, specs) == ()


def test_it_looks_after_what_it_applied(sized: Module) -> None:
    checkouts = sized.context.checkouts
    assert aftercare_problems(sized.driver, sized.unit, sized.checkout, checkouts, admitted(sized)) == ()


def test_it_tells_the_truth_when_its_tools_are_killed(sized: Module) -> None:
    def tried(step: str, mishap: Mishap) -> bool:
        return (step, mishap) == ("execute", Mishap.KILLED)

    checkouts = sized.context.checkouts
    found = interruption_problems(sized.driver, sized.unit, sized.checkout, checkouts, admitted(sized), tried)
    assert found == ()


def test_it_keeps_its_secrets(sized: Module) -> None:
    sized.write(GUARDED, "infra/db/guarded.tf")
    sized.outputs["token"] = OutputDeclaration("string", sensitive=True)
    checkouts = sized.context.checkouts
    assert secret_problems(sized.driver, sized.unit, sized.checkout, SECRET, checkouts, admitted(sized)) == ()
