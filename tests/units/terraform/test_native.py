"""The tool in an operator's hands: on the unit's module, with its state and variables."""

import pytest

from nyl.units.driver import ReceiptFacts
from nyl.units.execution import native
from nyl.units.outcomes import Failed, NativeCommand
from tests.units.terraform.modules import LOCAL, SIZED, Module


def run(module: Module, *arguments: str) -> tuple[int | None, str]:
    """Exit code and stdout of the tool with some arguments."""
    module.context.start_over()
    prepared = native(module.driver, module.unit, module.context, ReceiptFacts(), arguments)
    assert isinstance(prepared, NativeCommand), prepared
    shown: list[str] = []
    result = module.context.run_native(prepared, shown.append)
    return result.exit_code, "".join(shown)


def test_the_tool_works_on_the_units_own_state(either: Module) -> None:
    either.applied(size=1)
    assert run(either, "state", "list") == (0, "terraform_data.box\n")
    code, shown = run(either, "state", "rm", "terraform_data.box")
    assert code == 0
    assert "Removed terraform_data.box" in shown
    assert either.resources() == {}
    assert run(either, "state", "rm", "terraform_data.gone")[0] == 1


@pytest.mark.parametrize("name", ["env/dev one.tfvars", "env/a \"b\" 'c' $d \\e.tfvars"])
def test_commands_that_take_variables_get_the_units_own(module: Module, name: str) -> None:
    module.write(LOCAL + SIZED)
    module.write('size = "from a file"\n', name)
    module.spec["varFiles"] = [name]
    code, shown = run(module, "plan", "-no-color")
    assert code == 0
    assert "from a file" in shown
    module.admit(TF_CLI_ARGS_apply="-no-color")
    module.spec["variables"] = {"size": "own"}
    assert run(module, "apply", "-auto-approve", "-input=false")[0] == 0
    assert module.resources()["box"]["attributes"]["input"]["value"] == "own"


def test_what_cannot_be_prepared_is_told(module: Module) -> None:
    module.spec["version"] = "0.0.1"
    assert isinstance(native(module.driver, module.unit, module.context, ReceiptFacts(), ["state", "list"]), Failed)
