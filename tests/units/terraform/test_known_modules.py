"""What a root module declares is asked of the tool once, as long as its files and the tool stay the same."""

import json
from pathlib import Path

import pytest

from nyl.units.outcomes import Failed, Succeeded
from nyl.units.terraform.declarations import Declarations
from nyl.units.terraform.halts import Halt
from nyl.units.terraform.known_modules import known_declarations, remember
from nyl.units.terraform.workdir import prepared
from tests.units.terraform.modules import LOCAL, SHOWN, SIZED, Module


@pytest.fixture
def known(module: Module, tmp_path: Path) -> Module:
    """A unit that was executed, whose module is known to say that its output is sensitive, which is not so."""
    module.context.shared = tmp_path / "shared"
    module.declare(size="integer")
    module.applied(size=1)
    told = json.loads(remembered(module).read_text())
    remembered(module).write_text(json.dumps({**told, "outputs": {"size": True}}))
    return module


def remembered(module: Module) -> Path:
    (place,) = (module.context.cache / "terraform" / "modules").iterdir()
    return place


def trusts_what_it_knows(module: Module, approved: str | None = None, size: int = 2) -> bool:
    outcome = module.apply(approved, size=size)
    if isinstance(outcome, Succeeded):
        return False
    assert isinstance(outcome, Failed)
    assert "to be sensitive" in outcome.message
    return True


def test_a_module_that_is_known_is_not_asked_for_again(known: Module) -> None:
    assert trusts_what_it_knows(known)


def test_a_file_that_changed_makes_another_module(known: Module) -> None:
    known.write(LOCAL + SIZED + SHOWN + "\n")
    assert not trusts_what_it_knows(known)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("override.tf", 'output "size" {\n  sensitive = true\n}\n'),
        ("size_override.tf.json", '{"output": {"size": {"sensitive": true}}}'),
    ],
)
def test_a_file_that_makes_an_output_sensitive_is_noticed_before_the_apply(
    module: Module, tmp_path: Path, name: str, text: str
) -> None:
    module.context.shared = tmp_path / "shared"
    module.declare(size="integer")
    module.applied(size=1)
    module.write(text, f"infra/db/{name}")
    refused = module.apply(size=2)
    assert isinstance(refused, Failed)
    assert "to be sensitive" in refused.message
    assert module.resources()["box"]["attributes"]["output"]["value"] == 1


def test_a_file_elsewhere_that_a_file_of_the_module_links_to_makes_another_module(
    module: Module, tmp_path: Path
) -> None:
    module.context.shared = tmp_path / "shared"
    module.spec["files"] = ["infra/**"]
    module.write(LOCAL + SIZED)
    module.write(SHOWN, "infra/shared/size.tf")
    (module.checkout / "infra/db/size.tf").symlink_to("../shared/size.tf")
    module.declare(size="integer")
    module.applied(size=1)
    module.write(SHOWN.replace("output\n", "output\n  sensitive = true\n"), "infra/shared/size.tf")
    refused = module.apply(size=2)
    assert isinstance(refused, Failed)
    assert "to be sensitive" in refused.message


def test_units_of_one_known_module_are_each_held_to_what_they_declare(module: Module, tmp_path: Path) -> None:
    module.context.shared = tmp_path / "shared"
    module.applied(size=1)
    refused = module.apply(size=2, colour="red")
    assert isinstance(refused, Failed)
    assert "declares no variable colour" in refused.message
    del module.spec["variables"]["colour"]
    module.declare(weight="integer")
    refused = module.apply(size=2)
    assert isinstance(refused, Failed)
    assert "no output weight" in refused.message
    assert module.resources()["box"]["attributes"]["output"]["value"] == 1
    assert len(list((module.context.cache / "terraform" / "modules").iterdir())) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TF_CLI_ARGS_plan", "-target=terraform_data.box"),
        ("TF_CLI_ARGS_init", "-upgrade=false"),
        ("TF_WORKSPACE", "blue"),
    ],
)
def test_what_is_admitted_works_with_a_known_module_too(known: Module, tmp_path: Path, name: str, value: str) -> None:
    known.spec["backend"]["workspace_dir"] = str(tmp_path / "spaces")
    known.admit(**{name: value})
    assert trusts_what_it_knows(known)
    remembered(known).unlink()
    assert known.applied(size=2) == {"size": 2}
    assert known.applied(size=3) == {"size": 3}


def test_an_approved_change_and_an_empty_one_are_always_looked_at(known: Module) -> None:
    assert not trusts_what_it_knows(known, size=1)
    assert not trusts_what_it_knows(known, known.planned(size=2).digest)


def test_what_a_script_tells_is_not_kept(module: Module, tmp_path: Path) -> None:
    module.context.shared = tmp_path / "shared"
    module.tool('#!/bin/sh\nexec $REAL "$@"\n')
    module.applied(size=1)
    assert not (module.context.cache / "terraform" / "modules").exists()


def test_a_script_may_be_another_tool_each_time(known: Module) -> None:
    known.tool('#!/bin/sh\nexec $REAL "$@"\n')
    assert not trusts_what_it_knows(known)


def test_a_program_that_is_another_version_in_this_folder_is_asked_and_does_not_apply(
    module: Module, tmp_path: Path
) -> None:
    module.context.shared = tmp_path / "shared"
    module.spec["version"] = module.version
    workdir = prepared("terraform", module.unit, module.context)
    remember(workdir, Declarations({}, frozenset(), module.version))
    assert known_declarations(workdir) == Declarations({}, frozenset(), module.version)
    initialised = workdir.data / "terraform.tfstate"
    initialised.write_text(json.dumps({**json.loads(initialised.read_text()), "terraform_version": "9.9.9"}))
    assert known_declarations(workdir) is None
    remember(workdir, Declarations({}, frozenset(), "9.9.9"))
    with pytest.raises(Halt, match=r"is 9\.9\.9"):
        known_declarations(workdir)


@pytest.mark.parametrize("damage", ["", "[]", '{"outputs": 3, "variables": []}', '{"outputs": {}}'])
def test_what_is_damaged_is_asked_again(known: Module, damage: str) -> None:
    remembered(known).write_text(damage)
    assert not trusts_what_it_knows(known)
    assert json.loads(remembered(known).read_text())["outputs"] == {"size": False}


def test_a_known_module_gets_values_that_no_plan_holds_when_they_come_later(either: Module, tmp_path: Path) -> None:
    either.context.shared = tmp_path / "shared"
    either.write(LOCAL + SIZED + SHOWN + 'variable "token" {\n  ephemeral = true\n  default = null\n}\n')
    either.applied(size=1)
    assert remembered(either).exists()
    either.applied(size=2, token="b")
    assert either.resources()["box"]["attributes"]["output"]["value"] == 2


def test_a_cache_that_cannot_be_written_costs_nothing_else(module: Module, tmp_path: Path) -> None:
    module.context.shared = tmp_path / "shared"
    (module.context.cache / "terraform").mkdir(parents=True)
    (module.context.cache / "terraform" / "modules").touch()
    module.applied(size=1)
    module.applied(size=2)
