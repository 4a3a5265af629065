"""What reaches the tool, and how: variables, settings of the backend, and the environment."""

import json
from pathlib import Path
from typing import Any

import pytest

from nyl.core.schemas import Validator
from nyl.units.inputs import InputFiles
from nyl.units.outcomes import Failed, FailureCategory, Removed
from nyl.units.terraform.driver import TerraformDriver
from nyl.units.terraform.ephemeral import may_hold_ephemeral_variables
from tests.units.terraform.modules import LOCAL, SIZED, Module

LOGGING = '#!/bin/sh\nprintf "%s\\n" "$@" >> "$HOME/argv"\nenv >> "$HOME/environ"\nexec "$REAL" "$@"\n'
SHOWN = 'output "size" {\n  value = var.size\n}\n'


@pytest.fixture
def logging(module: Module) -> Module:
    """A unit whose tool writes down what it was started with."""
    module.admit(HOME=str(module.bin.parent))
    module.tool(LOGGING)
    return module


def log(module: Module, name: str) -> str:
    return (module.bin.parent / name).read_text()


VALUES: list[Any] = [
    123456789012345678901234567890123456789,
    -7,
    1.5,
    True,
    None,
    "",
    "1.10",
    "true",
    "a${b}%{c}$${d}\\n\n\"quoted\" 'single' ünï // # /*",
    ["a", 1, True, None, {"b": [1.25]}],
    {"with space": 1, "${x}": "${y}", "nested": {"deep": [[]]}},
    {},
    [],
]


def test_variables_keep_type_and_every_character(module: Module) -> None:
    names = [f"v{index}" for index in range(len(VALUES))]
    declared = "".join(f'variable "{each}" {{\n  default = "none"\n}}\n' for each in names)
    encoded = ", ".join(f"jsonencode(var.{each})" for each in names)
    module.write(LOCAL + declared + f'output "all" {{\n  value = [{encoded}]\n}}\n')
    module.declare(all="array")
    given = dict(zip(names, VALUES, strict=True))
    assert [json.loads(each) for each in module.applied(**given)["all"]] == VALUES


@pytest.mark.parametrize("default", ["", '  default = "short-lived"\n', "  default = null\n"])
def test_variables_that_no_plan_holds_reach_the_apply_too(module: Module, default: str) -> None:
    module.write(LOCAL + 'variable "token" {\n  ephemeral = true\n' + default + "}\n" + SIZED)
    module.applied(size=1, token="short-lived")
    assert module.resources()["box"]["attributes"]["output"]["value"] == 1
    module.applied(size=2, token="another")
    assert module.destroy() == Removed()


def test_variables_are_not_given_again_where_a_plan_holds_them_all(logging: Module) -> None:
    logging.applied(size=1)
    assert len([each for each in log(logging, "argv").splitlines() if each.startswith("-var-file=")]) == 1


@pytest.mark.parametrize(
    ("program", "version", "expected"),
    [
        ("terraform", "1.9.8", False),
        ("terraform", "1.10.0-rc1", True),
        ("terraform", "2.0.0", True),
        ("terraform", "unknown", False),
        ("tofu", "1.10.6", False),
        ("tofu", "1.11.0", True),
    ],
)
def test_variables_are_given_again_to_a_tool_that_knows_of_it(program: str, version: str, expected: bool) -> None:
    other = b'{"variable": {"token": {"sensitive": true}}}'
    held = b'{"variable": {"token": {"ephemeral": true}}}'
    assert may_hold_ephemeral_variables(program, version, [other, held]) == expected
    assert not may_hold_ephemeral_variables(program, version, [other])


def test_variables_and_backend_are_on_no_command_line_and_in_private_files(logging: Module) -> None:
    logging.applied(size="canary-in-a-variable")
    assert "canary" not in log(logging, "argv") + log(logging, "environ")
    assert str(logging.state) not in log(logging, "argv")
    for name in ("unit.tfvars.json", "backend.json"):
        assert (logging.temporary / name).stat().st_mode & 0o777 == 0o600


def test_a_setting_of_the_backend_is_taken_as_it_stands(module: Module, tmp_path: Path) -> None:
    module.spec["backend"] = {"path": str(tmp_path / 'odd ${HOME} "name".tfstate')}
    module.applied(size=1)
    assert (tmp_path / 'odd ${HOME} "name".tfstate').exists()


def test_a_variable_that_the_module_does_not_declare_fails_before_the_apply(module: Module) -> None:
    told = module.apply(size=1, sise=2, more=3)
    assert told == Failed(FailureCategory.START, True, "the module declares no variable more, sise")
    assert not module.state.exists()


def test_later_files_of_variables_win_and_variables_win_over_all(module: Module) -> None:
    module.write(
        LOCAL + "".join(f'variable "{each}" {{}}\noutput "{each}" {{\n  value = var.{each}\n}}\n' for each in "abc")
    )
    module.write('a = "one"\nb = "one"\nc = "one"\n', "env/one.tfvars")
    module.write('{"b": "two", "c": "two"}', "env/two.tfvars.json")
    module.spec["varFiles"] = ["env/one.tfvars", "env/two.tfvars.json"]
    module.declare(a="string", b="string", c="string")
    assert module.applied(c="own") == {"a": "one", "b": "two", "c": "own"}


def test_variables_of_the_runner_reach_the_tool_only_when_admitted(logging: Module, monkeypatch: Any) -> None:
    for name, value in {"TF_VAR_size": "leaked", "TF_LOG": "trace", "TF_CLI_ARGS_plan": "-destroy"}.items():
        monkeypatch.setenv(name, value)
    logging.write(LOCAL + 'variable "size" {\n  default = "own"\n}\n' + SHOWN)
    logging.declare(size="string")
    assert logging.applied() == {"size": "own"}
    assert "leaked" not in log(logging, "environ")
    assert "TF_LOG" not in log(logging, "environ")


def test_what_is_admitted_works(module: Module) -> None:
    module.write(LOCAL + SIZED + 'resource "terraform_data" "other" {}\n')
    module.admit(TF_VAR_size="admitted", TF_CLI_ARGS_plan="-target=terraform_data.box", TF_CLI_ARGS_show="-bad")
    module.applied()
    assert set(module.resources()) == {"box"}
    assert module.resources()["box"]["attributes"]["input"]["value"] == "admitted"


def test_a_log_that_is_admitted_is_shown_and_spoils_nothing(module: Module) -> None:
    module.admit(TF_LOG="info")
    module.declare(size="integer")
    assert module.applied(size=3) == {"size": 3}
    assert "[INFO]" in module.text


def test_admitted_secrets_are_masked(tmp_path: Path) -> None:
    module = Module(tmp_path / "unit", "terraform", "canary-secret")
    module.write(LOCAL + SIZED)
    module.admit(TF_VAR_size="canary-secret")
    assert '"***"' in module.planned().text
    module.applied()
    assert "canary" not in module.text


def test_nyl_decides_where_data_lies_and_that_nobody_is_asked(logging: Module) -> None:
    logging.admit(TF_DATA_DIR="/nowhere", TF_INPUT="1", TF_PLUGIN_CACHE_DIR=str(logging.bin))
    logging.write(LOCAL + SIZED)
    told = logging.apply()
    assert isinstance(told, Failed)
    assert told.message.endswith("No value for required variable")
    seen = log(logging, "environ").splitlines()
    assert f"TF_DATA_DIR={logging.temporary / 'data'}" in seen
    assert {"TF_INPUT=0", "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", f"TF_PLUGIN_CACHE_DIR={logging.bin}"} <= set(
        seen
    )


def test_how_go_collects_garbage_can_be_admitted(logging: Module) -> None:
    logging.planned(size=1)
    assert {"GOGC=400", "GOMEMLIMIT=512MiB"} <= set(log(logging, "environ").splitlines())
    (logging.bin.parent / "environ").unlink()
    logging.admit(GOGC="50", GOMEMLIMIT="off")
    logging.planned()
    assert {"GOGC=50", "GOMEMLIMIT=off"} <= set(log(logging, "environ").splitlines())


def test_a_cache_that_cannot_be_written_fails_before_any_effect(module: Module, tmp_path: Path) -> None:
    module.context.shared = tmp_path / "file" / "cache"
    (tmp_path / "file").write_text("in the way")
    told = module.apply(size=1)
    assert isinstance(told, Failed)
    assert told.category is FailureCategory.START
    assert "could not be prepared" in told.message


def test_init_changes_no_lock_file(logging: Module) -> None:
    kept = logging.write("# none needed\n", "infra/db/.terraform.lock.hcl")
    logging.applied(size=1)
    assert "-lockfile=readonly" in log(logging, "argv").splitlines()
    assert kept.read_text() == "# none needed\n"


@pytest.mark.parametrize(
    ("text", "backend", "told"),
    [
        ("", {}, "the module declares no backend"),
        ("", {"path": "/states/db.tfstate"}, "the module declares no backend"),
        (LOCAL, {}, "the setting path of the backend local is no absolute path"),
        (LOCAL, {"path": "../../../db.tfstate"}, "the setting path of the backend local is no absolute path"),
    ],
)
def test_a_state_in_the_checkout_is_refused_since_it_would_be_lost(
    module: Module, text: str, backend: dict[str, str], told: str
) -> None:
    module.write(text + SIZED)
    module.spec["backend"] = backend
    ended = module.apply(size=1)
    assert isinstance(ended, Failed)
    assert told in ended.message
    assert ended.retryable
    assert not list(module.bin.parent.rglob("*.tfstate*/")) + list(module.checkout.rglob("*tfstate*"))


def test_a_workspace_of_the_backend_local_needs_a_place_too(module: Module, tmp_path: Path) -> None:
    module.admit(TF_WORKSPACE="blue")
    told = module.apply(size=1)
    assert isinstance(told, Failed)
    assert "the setting workspace_dir" in told.message
    module.spec["backend"]["workspace_dir"] = str(tmp_path / "spaces")
    module.applied(size=1)
    assert (tmp_path / "spaces/blue/terraform.tfstate").exists()


def test_files_of_the_module_and_of_variables_are_inputs() -> None:
    driver, source = TerraformDriver(), {"path": "infra/db/"}
    assert driver.inputs({"source": source}).files == (InputFiles(("infra/db/**",), "/source"),)
    found = driver.inputs({"source": source, "files": ["a/**"], "varFiles": ["b.tfvars"]})
    assert found.files == (InputFiles(("a/**",), "/source"), InputFiles(("b.tfvars",)))
    assert found.private
    assert [each.pointer for each in found.sources] == ["/source"]


@pytest.mark.parametrize(
    ("spec", "valid"),
    [
        ({"source": {"path": "db"}}, True),
        ({"source": {"path": "db"}, "version": "1.9.5"}, True),
        ({"source": {"path": "db"}, "version": "1.10.0-rc1"}, True),
        ({}, False),
        ({"source": "db"}, False),
        ({"source": {"path": ""}}, False),
        ({"source": {"path": "db"}, "files": []}, False),
        ({"source": {"path": "db"}, "files": "db/**"}, False),
        ({"source": {"path": "db"}, "version": "~> 1.9"}, False),
        ({"source": {"path": "db"}, "version": 1.9}, False),
        ({"source": {"path": "db"}, "variables": ["a"]}, False),
        ({"source": {"path": "db"}, "backend": "s3"}, False),
        ({"source": {"path": "db"}, "varFiles": [1]}, False),
    ],
)
def test_specs_are_checked(spec: dict[str, Any], valid: bool) -> None:
    assert (not list(Validator(TerraformDriver().schema()).problems(spec))) is valid
