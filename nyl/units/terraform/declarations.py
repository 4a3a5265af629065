"""What a root module declares, and whether that fits what its unit declares."""

from collections.abc import Mapping
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.units.outcomes import FailureCategory
from nyl.units.terraform.binary import check_version
from nyl.units.terraform.halts import Halt
from nyl.units.terraform.workdir import Workdir


@dataclass(frozen=True)
class Declarations:
    """What a root module declares, as the tool tells with a plan."""

    outputs: Mapping[str, bool]
    """The outputs, and whether the tool holds them to be sensitive."""
    variables: frozenset[str]
    """The input variables."""
    version: str
    """The version of the tool that tells."""


def read_declarations(plan: Mapping[str, Any]) -> Declarations:
    """The declarations in a plan's JSON. Raises what a lookup raises where it is not as this module knows it."""
    module = plan.get("configuration", {}).get("root_module", {})
    planned = plan.get("planned_values", {}).get("outputs", {})
    variables = frozenset(module.get("variables", {}))
    outputs = {
        name: bool(each.get("sensitive")) or bool(planned.get(name, {}).get("sensitive"))
        for name, each in module.get("outputs", {}).items()
    }
    return Declarations(outputs, variables, str(plan["terraform_version"]))


def check_declarations(module: Declarations, workdir: Workdir) -> None:
    """Raises Halt where a unit wants another version, what its module does not have, or to show what is sensitive."""
    unit, program = workdir.unit, workdir.binary.program
    check_version(workdir.binary, module.version, unit)
    unknown = sorted(set(unit.spec.get("variables", {})) - module.variables)
    if unknown:
        raise Halt(f"the module declares no variable {', '.join(unknown)}", FailureCategory.START)
    missing = sorted(set(unit.outputs) - set(module.outputs))
    if missing:
        raise Halt(f"the module has no output {', '.join(missing)}", FailureCategory.OUTPUTS)
    open_ = sorted(name for name, each in unit.outputs.items() if module.outputs[name] and not each.sensitive)
    if open_:
        raise Halt(
            f"{program} holds output {', '.join(open_)} to be sensitive; declare it with `sensitive: true`",
            FailureCategory.OUTPUTS,
        )
