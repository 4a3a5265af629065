"""Driver protocol: what a driver raises outside of an execution becomes an error that names it."""

from dataclasses import dataclass
from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.driver_answers import declared_inputs, recovery_policy
from nyl.units.command import CommandDriver
from tests.engine.builders import check, unit


@dataclass
class Raising(CommandDriver):
    """A Command whose driver knows no answer."""

    error: Exception

    def inputs(self, spec: Any) -> Any:
        raise self.error

    def recovery(self, spec: Any) -> Any:
        raise self.error


@pytest.mark.parametrize("ask", [declared_inputs, lambda unit: recovery_policy(unit, {})])
def test_a_driver_that_raises_is_named_with_its_unit(ask: Any) -> None:
    asked = check(unit("db"), driver=Raising(KeyError("size")))["db"]
    with pytest.raises(NylError) as raised:
        ask(asked)
    told = raised.value.diagnostic
    assert (told.code, told.unit) == (Code.DRIVER_INVALID, "db")
    assert "KeyError: 'size'" in told.message


def test_an_error_of_a_driver_that_is_meant_for_the_user_stays_what_it_is() -> None:
    meant = NylError(Code.PATH_REFUSED, "The path leaves its root.", "correct it")
    with pytest.raises(NylError) as raised:
        declared_inputs(check(unit("db"), driver=Raising(meant))["db"])
    assert raised.value is meant
