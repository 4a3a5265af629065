"""Which program is started: the tool itself, of the version that the unit wants."""

import os
from pathlib import Path

import pytest

from nyl.units.outcomes import Failed, FailureCategory, Succeeded
from tests.units.terraform.modules import Module

NOISY = '#!/bin/sh\necho "[command]$REAL $*"\n$REAL "$@"\necho "::debug::Terraform exited with code $?."\n'
"""As the wrapper of a setup action: it adds to what is printed, and says that all is well."""

QUIET = '#!/bin/sh\nexec "$REAL" "$@"\n'
SWALLOWING = '#!/bin/sh\n"$REAL" "$@"\ncode=$?\n[ $code = 2 ] && exit 0\nexit $code\n'


def unfit(outcome: object, *, retryable: bool = True) -> str:
    assert isinstance(outcome, Failed), outcome
    assert (outcome.category, outcome.retryable) == (FailureCategory.VERSION, retryable)
    return outcome.message


@pytest.mark.parametrize("wrapper", [NOISY, SWALLOWING])
def test_a_wrapper_is_passed_over_for_the_tool_later_on_path(either: Module, wrapper: str) -> None:
    first = either.tool(wrapper)
    later = either.bin.parent / "later"
    later.mkdir()
    (later / first.name).symlink_to(either.real)
    either.admit(PATH=f"{either.bin}:{later}:{os.defpath}")
    assert isinstance(either.apply(size=1), Succeeded)
    assert "[command]" not in either.text


def test_a_wrapper_is_passed_over_for_the_tool_that_lies_beside_it(module: Module) -> None:
    first = module.tool(NOISY)
    first.with_name(f"{first.name}-bin").symlink_to(module.real)
    assert isinstance(module.apply(size=1), Succeeded)
    assert "[command]" not in module.text


def test_a_wrapper_alone_is_refused_with_what_to_switch_off(module: Module) -> None:
    module.tool(NOISY)
    assert "terraform_wrapper: false" in unfit(module.apply(size=1))
    assert not module.state.exists()


def test_a_script_that_changes_the_exit_code_of_a_plan_is_refused_before_the_apply(module: Module) -> None:
    module.tool(SWALLOWING)
    assert "changes the exit code" in unfit(module.apply(size=1))
    assert not module.state.exists()


def test_a_script_that_hands_everything_on_will_do(module: Module) -> None:
    module.tool(QUIET)
    assert isinstance(module.apply(size=1), Succeeded)


def test_folders_of_path_that_are_not_absolute_do_not_count(module: Module) -> None:
    module.admit(PATH=f":.:{module.bin}")
    module.write("not terraform", "terraform").chmod(0o755)
    module.write("not terraform", "infra/db/terraform").chmod(0o755)
    module.applied(size=1)


def test_a_machine_without_the_tool_says_so(module: Module) -> None:
    module.admit(PATH="/nowhere")
    told = module.apply(size=1)
    assert told == Failed(
        FailureCategory.START, True, "terraform could not be started: there is no such program on PATH"
    )


def test_another_version_fails_before_anything_else(either: Module) -> None:
    either.spec["version"] = "0.0.1"
    assert f"wants {either.driver.program} 0.0.1, and" in unfit(either.apply(size=1), retryable=False)
    assert either.text == ""
    either.spec["version"] = either.version
    assert isinstance(either.apply(size=1), Succeeded)


def test_a_program_that_starts_another_version_in_the_module_does_not_apply(module: Module) -> None:
    module.spec["version"] = module.version
    told = '{"terraform_version": "9.9.9", "resource_changes": [], "applyable": true}'
    module.tool(f'#!/bin/sh\nif [ "$1" = show ]; then echo \'{told}\'; exit; fi\nexec $REAL "$@"\n')
    assert "is 9.9.9" in unfit(module.apply(size=1), retryable=False)
    assert not module.state.exists()


def test_the_version_of_a_program_is_asked_once_where_a_unit_wants_one(module: Module, tmp_path: Path) -> None:
    module.context.shared = tmp_path / "shared"
    module.planned(size=1)
    assert not list(module.context.cache.glob("version-*"))
    module.spec["version"] = module.version
    module.planned(size=1)
    remembered = list(module.context.cache.glob("version-*"))
    assert len(remembered) == 1
    remembered[0].write_text("{not json")
    module.planned(size=1)
    assert module.version in remembered[0].read_text()


@pytest.mark.parametrize("printed", ["", "null", "[]", "{}", '{"terraform_version": 3}', "not json", "\\xff"])
def test_a_program_that_does_not_say_its_version_is_refused(module: Module, printed: str) -> None:
    module.tool(f"#!/bin/sh\nprintf '{printed}'\n")
    assert "does not hand on what terraform prints" in unfit(module.apply(size=1))
