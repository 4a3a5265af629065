"""The outputs of a module: those that the unit declares, of their types, and no sensitive one in the open."""

from typing import Any

from nyl.project.units import OutputDeclaration
from nyl.units.outcomes import Failed, FailureCategory, Removed, Succeeded
from tests.units.terraform.modules import LOCAL, Module

SECRET = OutputDeclaration("string", sensitive=True)


def output(name: str, value: str, more: str = "") -> str:
    return f'output "{name}" {{\n  value = {value}\n  {more}\n}}\n'


def refused(outcome: object) -> str:
    assert isinstance(outcome, Failed), outcome
    assert outcome.category is FailureCategory.OUTPUTS
    return outcome.message


TYPED: dict[str, tuple[str, str, Any]] = {
    "text": ("string", '"a"', "a"),
    "big": ("integer", "123456789012345678901234567890", 123456789012345678901234567890),
    "whole": ("integer", "3.0", 3),
    "part": ("number", "1.5", 1.5),
    "flag": ("boolean", "false", False),
    "list": ("array", '[1, "a"]', [1, "a"]),
    "map": ("object", "{ a = { b = 1 } }", {"a": {"b": 1}}),
}


def test_outputs_come_with_their_types(module: Module) -> None:
    module.write(LOCAL + "".join(output(name, value) for name, (_, value, _) in TYPED.items()))
    module.declare(**{name: declared for name, (declared, _, _) in TYPED.items()})
    assert module.applied() == {name: given for name, (_, _, given) in TYPED.items()}


def test_outputs_of_other_types_are_refused(module: Module) -> None:
    module.write(LOCAL + output("a", "3") + output("b", "1.5") + output("c", "[]") + output("d", "null"))
    module.declare(a="string", b="integer", c="object", d="string")
    told = "output a is an integer where string is declared; output b is a number where integer is declared; "
    assert refused(module.apply()) == told + "output c is an array where object is declared; output d is missing"


def test_outputs_that_the_unit_does_not_declare_are_left_alone(module: Module) -> None:
    module.write(LOCAL + output("a", '"1"') + output("b", '"2"') + output("c", '"canary-secret"', "sensitive = true"))
    module.declare(a="string")
    assert module.applied() == {"a": "1"}
    assert module.context.warnings == []
    assert "canary" not in module.text


def test_an_output_that_the_module_lacks_fails_before_the_apply(module: Module) -> None:
    module.declare(sise="integer", size="integer")
    assert refused(module.apply(size=1)) == "the module has no output sise"
    assert not module.state.exists()
    assert module.destroy() == Removed()


def test_a_sensitive_output_has_to_be_declared_so_before_the_apply(either: Module) -> None:
    either.write(LOCAL + output("password", '"canary-secret"', "sensitive = true"))
    either.declare(password="string")
    told = refused(either.apply())
    assert "holds output password to be sensitive; declare it with `sensitive: true`" in told
    assert not either.state.exists()
    assert "canary" not in either.text + told


def test_a_sensitive_output_is_checked_and_never_given(module: Module) -> None:
    module.write(LOCAL + output("password", '"canary-secret"', "sensitive = true") + output("host", '"db"'))
    module.outputs = {"password": SECRET, "host": OutputDeclaration("string")}
    assert "canary" not in module.planned().text
    assert module.applied() == {"host": "db"}
    assert "canary" not in module.text
    module.outputs["password"] = OutputDeclaration("integer", sensitive=True)
    assert refused(module.apply()) == "output password is a string where integer is declared"


def test_an_output_may_be_more_secret_to_the_unit_than_to_the_tool(module: Module) -> None:
    module.write(LOCAL + output("password", '"open"'))
    module.outputs = {"password": SECRET}
    assert module.applied() == {}


def test_an_output_that_holds_a_sensitive_one_is_refused(module: Module) -> None:
    module.write(
        LOCAL + output("password", '"canary-secret"', "sensitive = true") + output("url", '"db:canary-secret@host"')
    )
    module.outputs = {"password": SECRET, "url": OutputDeclaration("string")}
    assert "output url contains the value of a secret" in refused(module.apply())


def test_a_change_of_outputs_alone_is_applied(module: Module) -> None:
    module.write(LOCAL + output("it", '"a"'))
    module.declare(it="string")
    module.applied()
    module.write(LOCAL + output("it", '"b"'))
    assert "Changes to Outputs" in module.planned().text
    assert module.applied() == {"it": "b"}


def test_values_that_are_known_after_the_apply_only_are_read_after_it(module: Module) -> None:
    module.write(LOCAL + 'resource "terraform_data" "box" {}\n' + output("id", "terraform_data.box.id"))
    module.declare(id="string")
    first = module.planned()
    assert "(known after apply)" in first.text
    assert first.digest == module.planned().digest
    found = module.apply(first.digest)
    assert isinstance(found, Succeeded)
    assert len(found.outputs["id"]) == 36
