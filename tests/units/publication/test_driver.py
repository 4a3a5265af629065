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
