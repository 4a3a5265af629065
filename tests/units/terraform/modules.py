"""Builds Terraform units: a checkout with a module, a place for its state, and what the tool may see.

OpenTofu is not to be had everywhere that these tests run. Its kind is tested with a stand-in: a program of the name
`tofu` that starts terraform.
"""

import json
import os
import subprocess
from collections.abc import Mapping
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

from nyl.project.units import OutputDeclaration
from nyl.units.driver import ResolvedUnit
from nyl.units.outcomes import AwaitingApproval, Outcome, Planned, PlanOutcome, Succeeded, TeardownOutcome
from nyl.units.terraform.driver import OpenTofuDriver, TerraformDriver
from tests.support import tools
from tests.units.building import Bench

LOCAL = 'terraform {\n  backend "local" {}\n}\n'
SIZED = 'variable "size" {}\nresource "terraform_data" "box" {\n  input = var.size\n}\n'
SHOWN = 'output "size" {\n  value = terraform_data.box.output\n}\n'


@cache
def terraform_version(program: Path) -> str:
    """What the tool says of itself."""
    told = subprocess.run(
        [program, "version", "-json"], env=tools.TERRAFORM_ENVIRONMENT, capture_output=True, check=True
    )
    version: str = json.loads(told.stdout)["terraform_version"]
    return version


class Module(Bench):
    """A unit dev/db whose module lies in the folder infra/db of the checkout, and whose state outlives it."""

    def __init__(self, folder: Path, program: str = "terraform", *secrets: str, shared: Path | None = None) -> None:
        folder.mkdir(exist_ok=True)
        super().__init__(folder, *secrets)
        self.driver = OpenTofuDriver() if program == "tofu" else TerraformDriver()
        self.state = folder / "states" / "db.tfstate"
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.real = tools.terraform()
        (self.bin / program).symlink_to(self.real)
        self.admit(PATH=f"{self.bin}:{os.defpath}")
        self.context.shared = shared or folder / "cache"
        self.spec: dict[str, Any] = {"source": {"path": "infra/db"}, "backend": {"path": str(self.state)}}
        self.outputs: dict[str, OutputDeclaration] = {}
        self.seconds = 60
        self.context.checkouts = {"/source": self.checkout}

    @property
    def version(self) -> str:
        """The version of the tool."""
        return terraform_version(self.real)

    def admit(self, **variables: str) -> None:
        """Gives the tool more variables of the runner."""
        self.context.variables = {**self.context.variables, **tools.TERRAFORM_ENVIRONMENT, **variables}

    def write(self, text: str, path: str = "infra/db/main.tf") -> Path:
        """Writes a file of the checkout."""
        file = self.checkout / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def declare(self, **outputs: str) -> None:
        """Declares outputs by their types."""
        self.outputs.update({name: OutputDeclaration(each) for name, each in outputs.items()})

    @property
    def unit(self) -> ResolvedUnit:
        """The unit as it is declared now."""
        return ResolvedUnit("dev", "db", self.driver.kind, self.spec, self.outputs, timedelta(seconds=self.seconds))

    def apply(self, approved: str | None = None, **variables: Any) -> Outcome:
        """Executes the unit."""
        self._renew(approved, variables)
        return self.execute(self.driver, self.unit)

    def look(self, **variables: Any) -> PlanOutcome:
        """Plans the unit."""
        self._renew(None, variables)
        return self.plan(self.driver, self.unit)

    def planned(self, **variables: Any) -> Planned:
        """Plans the unit, which must go well."""
        found = self.look(**variables)
        assert isinstance(found, Planned), found
        return found

    def applied(self, **variables: Any) -> Mapping[str, Any]:
        """Executes the unit, which must go well. Gives the outputs."""
        found = self.apply(**variables)
        assert isinstance(found, Succeeded), (found, self.text)
        return found.outputs

    def destroy(self, approved: str | None = None) -> TeardownOutcome:
        """Tears the unit down."""
        self._renew(approved, {})
        return self.tear_down(self.driver, self.unit)

    def resources(self) -> dict[str, Any]:
        """The resources in the state, by name."""
        found = json.loads(self.state.read_text())["resources"]
        return {each["name"]: each["instances"][0] for each in found}

    def tool(self, text: str, name: str | None = None) -> Path:
        """Puts a script before the tool; `$REAL` in it is the tool."""
        path = self.bin / (name or self.driver.program)
        path.unlink(missing_ok=True)
        path.write_text(text.replace("$REAL", str(self.real)))
        path.chmod(0o755)
        return path

    def _renew(self, approved: str | None, variables: Mapping[str, Any]) -> None:
        """What every execution gets: an empty private folder, and the digest that was approved."""
        self.context.start_over()
        self.context.approved_digest = approved
        if variables:
            self.spec["variables"] = {**self.spec.get("variables", {}), **variables}


def waits(outcome: object) -> AwaitingApproval:
    """The outcome, which must be to wait for an approval."""
    assert isinstance(outcome, AwaitingApproval), outcome
    return outcome
