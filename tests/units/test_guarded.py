"""What drivers of packages may answer when they are asked about a spec."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.units.command import CommandDriver
from nyl.units.driver import Capability, RecoveryPolicy
from nyl.units.guarded import GuardedDriver
from nyl.units.inputs import Inputs

SPEC = {"command": ["./x"], "verify": ["./v"]}


class Odd(CommandDriver):
    """Answers everything with what it is told to."""

    def __init__(self, answer: Callable[[], Any]) -> None:
        self._answer = answer

    def capabilities(self, spec: Mapping[str, Any]) -> Any:
        return self._answer()

    def recovery(self, spec: Mapping[str, Any]) -> Any:
        return self._answer()

    def teardown_recovery(self, spec: Mapping[str, Any]) -> Any:
        return self._answer()

    def inputs(self, spec: Mapping[str, Any]) -> Any:
        return self._answer()

    def secrets(self, spec: Mapping[str, Any]) -> Any:
        return self._answer()

    verify: Any = None


def asked(question: str, answer: Callable[[], Any]) -> Any:
    return getattr(GuardedDriver(Odd(answer), "acme 1.0"), question)(SPEC)


def test_a_sound_driver_is_as_it_is() -> None:
    driver = GuardedDriver(CommandDriver(), "acme 1.0")

    assert driver.capabilities(SPEC) == {Capability.VERIFY}
    assert driver.recovery(SPEC) is RecoveryPolicy.MANUAL
    assert driver.inputs(SPEC) == CommandDriver().inputs(SPEC)
    assert (driver.kind, driver.neutral_fields) == ("Command", CommandDriver.neutral_fields)
    assert not hasattr(driver, "expand")
    assert not hasattr(driver, "secrets")


def test_names_do_for_members() -> None:
    assert asked("capabilities", lambda: ["plan"]) == {Capability.PLAN}
    assert asked("recovery", lambda: "converge") is RecoveryPolicy.CONVERGE
    assert asked("teardown_recovery", lambda: "manual") is RecoveryPolicy.MANUAL
    assert asked("secrets", lambda: ["password"]) == ("password",)


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        ("capabilities", lambda: {"teleport"}, "cannot say of a unit what it can do: ValueError"),
        ("capabilities", lambda: None, "cannot say of a unit what it can do: TypeError"),
        ("capabilities", lambda: {Capability.VERIFY}, "has capability verify, but no method verify"),
        ("capabilities", lambda: 1 / 0, "ZeroDivisionError"),
        ("recovery", lambda: "pray", "cannot say of a unit how it recovers: ValueError"),
        ("teardown_recovery", lambda: 5, "cannot say of a unit how its teardown recovers: ValueError"),
        ("secrets", lambda: "password", "asks for secrets 'password', where a tuple of their keys is expected"),
        ("secrets", lambda: 1 / 0, "cannot say of a unit which secrets it needs: ZeroDivisionError"),
        ("inputs", list, "says that a unit reads [], where Inputs are expected"),
        ("inputs", lambda: {}["x"], "cannot say of a unit what it reads: KeyError"),
        ("inputs", lambda: Inputs, "where Inputs are expected"),
    ],
)
def test_anything_else_is_an_error_that_names_the_package(
    question: str, answer: Callable[[], Any], reason: str
) -> None:
    with pytest.raises(NylError) as caught:
        asked(question, answer)

    assert caught.value.diagnostic.code is Code.DRIVER_INVALID
    assert caught.value.diagnostic.message.startswith("The driver of Command in the package acme 1.0 ")
    assert reason in caught.value.diagnostic.message
