"""Recovery page, recovery policy inspect: what an inspection comes to in the ledger and in the run."""

from dataclasses import replace

import pytest

from nyl.engine.decision import Standing, decide
from nyl.state.documents import ObservedUnit
from nyl.units.driver import RecoveryPolicy
from nyl.units.outcomes import InspectOutcome, NotApplied, Succeeded, Unknown
from tests.engine.builders import KEY, OTHER_KEY, observed, receipt, uncertain

INSPECT = RecoveryPolicy.INSPECT
LEFT = observed(condition=uncertain())
FOUND = observed(receipt=receipt())


@pytest.mark.parametrize(
    ("known", "inspected", "standing", "recovering"),
    [
        (LEFT, None, Standing.READY, False),
        (LEFT, NotApplied(), Standing.READY, True),
        (LEFT, Unknown("no network"), Standing.UNCERTAIN, False),
        (FOUND, Succeeded(), Standing.CURRENT, False),
        (replace(FOUND, receipt=receipt(OTHER_KEY)), Succeeded(), Standing.READY, True),
    ],
    ids=["not asked yet", "not applied", "unknown", "applied", "applied for former inputs"],
)
def test_the_answer_decides_what_becomes_of_an_uncertain_unit(
    known: ObservedUnit, inspected: InspectOutcome | None, standing: Standing, recovering: bool
) -> None:
    decision = decide(KEY, 1, known, INSPECT, inspected)
    assert (decision.standing, decision.recovering) == (standing, recovering)


def test_only_a_unit_that_was_not_asked_yet_is_inspected() -> None:
    assert decide(KEY, 1, LEFT, INSPECT).inspecting
    assert not decide(KEY, 1, LEFT, INSPECT, NotApplied()).inspecting
    assert not decide(KEY, 1, LEFT, INSPECT, Unknown("no network")).inspecting


def test_an_unknown_outcome_tells_both_reasons() -> None:
    reason = decide(KEY, 1, LEFT, INSPECT, Unknown("no network")).reason
    assert reason == "it was killed; an inspection could not tell its effects: no network"
