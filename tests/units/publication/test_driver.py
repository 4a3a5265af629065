from typing import Any

import pytest

from nyl.core.schemas import Validator
from nyl.units.conformance import driver_problems
from nyl.units.driver import RecoveryPolicy
from tests.support.publishing import DRIVER

SPECS = ({"target": "prod"}, {"target": "prod", "mode": "publish", "teardownWait": {"strategy": "observe"}})


def test_it_keeps_the_promises_of_drivers() -> None:
    assert driver_problems(DRIVER, SPECS) == ()


def test_publishing_again_settles_whatever_became_of_a_publication() -> None:
    assert DRIVER.recovery(SPECS[0]) is RecoveryPolicy.CONVERGE


def test_it_needs_a_commit_and_no_files_of_it() -> None:
    inputs = DRIVER.inputs(SPECS[0])
    assert (inputs.requires_commit, inputs.private, inputs.files) == (True, True, ())


def test_how_a_tree_is_published_and_torn_down_does_not_enter_the_key() -> None:
    assert DRIVER.neutral_fields == ("mode", "teardownWait")


@pytest.mark.parametrize(
    ("spec", "pointer"),
    [
        ({}, ""),
        ({"target": ""}, "/target"),
        ({"target": "prod", "mode": "apply"}, "/mode"),
        ({"target": "prod", "releases": {"platform/web": {"image": "by hand"}}}, "/releases"),
    ],
)
def test_specs_that_are_refused(spec: dict[str, Any], pointer: str) -> None:
    assert [each.pointer for each in Validator(DRIVER.schema()).problems(spec)] == [pointer]
