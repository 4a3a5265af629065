"""What an apply prints reads as the tool would say it to people, and saves asking for outputs."""

import json
from pathlib import Path

import pytest

from nyl.project.units import OutputDeclaration
from nyl.units.outcomes import Failed
from nyl.units.terraform.apply_messages import ApplyMessages
from tests.units.terraform.modules import LOCAL, SHOWN, SIZED, Module

BROKEN = (
    LOCAL + 'resource "terraform_data" "box" {\n  provisioner "local-exec" {\n    command = "echo hi; exit 3"\n  }\n}\n'
)

CHECKED = """\
variable "size" {}
resource "terraform_data" "box" {
  input = var.size
  lifecycle {
    postcondition {
      condition     = self.id == "x${var.size}"
      error_message = "no"
    }
  }
}
"""


@pytest.fixture
def commands(module: Module, tmp_path: Path) -> Path:
    """The commands that the tool gets, one a line."""
    log = tmp_path / "commands"
    module.tool(f'#!/bin/sh\necho "$1" >>{log}\nexec $REAL "$@"\n')
    return log


def test_outputs_that_the_apply_tells_are_not_asked_for(module: Module, commands: Path) -> None:
    module.declare(size="integer")
    assert module.applied(size=3) == {"size": 3}
    assert commands.read_text().split() == ["version", "init", "plan", "show", "apply"]
    assert module.applied() == {"size": 3}
    assert commands.read_text().split()[5:] == ["version", "init", "plan", "show", "output"]


def test_sensitive_outputs_are_asked_for(module: Module, commands: Path) -> None:
    module.write(LOCAL + SIZED + SHOWN + 'output "key" {\n  value = "canary"\n  sensitive = true\n}\n')
    module.declare(size="integer")
    module.outputs["key"] = OutputDeclaration("string", sensitive=True)
    assert module.applied(size=3) == {"size": 3}
    assert commands.read_text().split()[-2:] == ["apply", "output"]
    assert "canary" not in module.text
    assert "key = <sensitive>" in module.lines


def test_an_apply_reads_as_the_tool_words_it(module: Module) -> None:
    module.applied(size=3)
    lines = module.lines[module.lines.index("terraform_data.box: Creating...") :]
    assert lines[1].startswith("terraform_data.box: Creation complete after 0s [id=")
    assert lines[2:] == ["Apply complete! Resources: 1 added, 0 changed, 0 destroyed.", "", "Outputs:", "", "size = 3"]


def test_a_failed_apply_says_where_and_why(module: Module) -> None:
    module.write(BROKEN)
    outcome = module.apply()
    assert isinstance(outcome, Failed)
    assert outcome.message.endswith("terraform apply ended with exit code 1: local-exec provisioner error")
    at = module.lines.index("Error: local-exec provisioner error")
    assert module.lines[at + 1 : at + 7] == [
        "",
        "  with terraform_data.box,",
        '  on main.tf line 5, in resource "terraform_data" "box":',
        '   5:   provisioner "local-exec" {',
        "",
        "Error running command 'echo hi; exit 3': exit status 3. Output: hi",
    ]


def test_a_line_that_is_no_message_of_the_tool_is_refused() -> None:
    for line in (b"", b"null", b"Applying...", b"{}", b'{"type": "outputs", "outputs": []}', b'{"@message": NaN}'):
        with pytest.raises((ValueError, AttributeError, KeyError)):
            ApplyMessages().text(line)


def test_values_are_shown_as_they_are_written_and_no_sensitive_one() -> None:
    messages = ApplyMessages()
    told = {"city": {"value": "M\u00fcnchen"}, "key": {"value": "canary", "sensitive": True}}
    text = messages.text(json.dumps({"type": "outputs", "outputs": told}).encode())
    assert text == '\nOutputs:\n\ncity = "M\u00fcnchen"\nkey = <sensitive>'
    assert messages.outputs == {"city": "M\u00fcnchen"}


def test_a_state_that_could_be_written_nowhere_is_shown() -> None:
    dump = {"@message": "Emergency state dump", "type": "log", "state": {"serial": 3}}
    assert ApplyMessages().text(json.dumps(dump).encode()) == 'Emergency state dump\n{"serial": 3}'


def test_values_that_a_condition_looked_at_stand_below_its_code(module: Module) -> None:
    module.write(LOCAL + CHECKED)
    assert isinstance(module.apply(size=-1), Failed)
    at = module.lines.index('   9:       condition     = self.id == "x${var.size}"')
    assert module.lines[at + 1].startswith('    self.id is "')
    assert module.lines[at + 2] == "    var.size is -1"
