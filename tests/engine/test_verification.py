"""Recovery page, Verifying receipts: what is asked about, what is recorded, and what is told."""

from dataclasses import replace
from typing import Any

import pytest

from nyl.engine.results import Finding
from nyl.engine.verification import (
    DriftedUnit,
    Look,
    findings,
    news,
    still_there,
    verify_drift_warning,
    verify_headline,
    verify_summary,
    why_unverified,
)
from nyl.project.resources import DriftRepair
from nyl.project.units import ApprovalBinding, ApprovalPolicy
from nyl.state.documents import DesiredUnit, ObservationType, ObservedUnit
from nyl.state.lifecycles import LifecycleState
from nyl.units.outcomes import Failed, FailureCategory, Verified, VerifyOutcome
from tests.engine.builders import HOLD, KEY, NOW, OTHER_KEY, RUN, desired, failed, observed, receipt, uncertain

KNOWN = observed(receipt=receipt())
HELD = desired(lifecycle=LifecycleState.HELD, hold=HOLD)
BROKEN = Failed(FailureCategory.EXECUTION, False, "check.sh ended with exit code 7")


def look(outcome: VerifyOutcome) -> Look:
    return Look(desired(), receipt(), outcome, NOW)


@pytest.mark.parametrize(
    ("document", "known", "why"),
    [
        (desired(), KNOWN, None),
        (HELD, KNOWN, None),
        (desired(), None, "it has no receipt"),
        (desired(), observed(), "it has no receipt"),
        (desired(), observed("db", receipt(), failed()), "it is failed"),
        (desired(), observed("db", receipt(), uncertain()), "it is uncertain"),
        (desired(key=OTHER_KEY), KNOWN, "out of date"),
        (desired(lifecycle=LifecycleState.DELETING), KNOWN, "it is deleting"),
        (desired(lifecycle=LifecycleState.RETAINED), KNOWN, "it is retained"),
    ],
)
def test_only_current_receipts_are_asked_about(
    document: DesiredUnit, known: ObservedUnit | None, why: str | None
) -> None:
    found = why_unverified(document, known, can_verify=True)
    assert found is None if why is None else found is not None and why in found


def test_a_kind_that_cannot_verify_is_not_asked() -> None:
    assert why_unverified(desired(), KNOWN, can_verify=False) == "a Command like it cannot be verified"


def test_drift_health_and_attestations_are_observations_of_the_receipt() -> None:
    found = findings(look(Verified(True, "gone", "degraded", {"sbom": "abc"})), RUN)
    assert {what: (each.status, each.detail) for what, each in found.items()} == {
        ObservationType.DRIFT: ("drifted", "gone"),
        ObservationType.HEALTH: ("degraded", ""),
        ObservationType.ATTESTATIONS: ("reported", ""),
    }
    assert {each.execution_key for each in found.values()} == {KEY}
    assert found[ObservationType.ATTESTATIONS].data == {"sbom": "abc"}


def test_what_a_driver_does_not_report_is_not_recorded() -> None:
    assert set(findings(look(Verified(False)), RUN)) == {ObservationType.DRIFT}
    assert findings(look(BROKEN), RUN) == {}


def test_the_same_finding_at_another_time_is_no_news() -> None:
    found = findings(look(Verified(True, "gone")), RUN)
    known = {what: replace(each, run="another", at=NOW) for what, each in found.items()}
    assert news(found, known) == {}
    assert news(found, {}) == found


@pytest.mark.parametrize("field", [{"status": "clean"}, {"detail": "other"}, {"execution_key": OTHER_KEY}])
def test_another_finding_is_news(field: dict[str, Any]) -> None:
    found = findings(look(Verified(True, "gone")), RUN)
    assert news(found, {what: replace(each, **field) for what, each in found.items()}) == found


@pytest.mark.parametrize(
    ("document", "known", "there"),
    [
        (desired(), KNOWN, True),
        (None, KNOWN, False),
        (desired(), None, False),
        (desired(), observed(receipt=receipt(run=RUN)), False),
        (desired(), observed("db", receipt(), failed()), False),
        (desired(lifecycle=LifecycleState.DELETING), KNOWN, False),
    ],
    ids=["same", "document gone", "receipt gone", "newer receipt", "failed since", "deleting since"],
)
def test_findings_hold_while_their_receipt_is_there(
    document: DesiredUnit | None, known: ObservedUnit | None, there: bool
) -> None:
    assert still_there(look(Verified(True)), document, known) is there


def test_headline_and_summary_tell_what_was_found() -> None:
    units = (look(Verified(True, "gone")).report, replace(look(BROKEN).report, unit="web"))
    plain = replace(units[0], unit="x", verdict=Finding.UNVERIFIED)
    assert verify_headline("dev", (*units, plain)) == "nyl: verify dev (1 drifted, 1 error)"
    assert verify_summary((*units, plain)) == {
        "units": {
            "db": {"finding": "drifted", "detail": "gone"},
            "web": {"finding": "error", "detail": "check.sh ended with exit code 7"},
        }
    }
    assert verify_headline("dev", ()) == "nyl: verify dev"


@pytest.mark.parametrize(
    ("document", "safe", "repair", "told", "fix"),
    [
        (desired(), True, DriftRepair.CONVERGE, "executes it again", "nyl reconcile -e dev`"),
        (desired(), False, DriftRepair.CONVERGE, "waits for an approval", "nyl reconcile -e dev --approve db`"),
        (desired(), True, DriftRepair.MANUAL, "leaves it drifted", "--unit db --reapply --reason <text>`"),
        (desired(), False, DriftRepair.MANUAL, "leaves it drifted", "--reason <text> --approve db`"),
        (HELD, True, DriftRepair.CONVERGE, "it is held", "nyl resume -e dev --unit db"),
    ],
)
def test_the_warning_tells_what_the_next_reconcile_does(
    document: DesiredUnit, safe: bool, repair: DriftRepair, told: str, fix: str
) -> None:
    warning = verify_drift_warning(DriftedUnit("dev", document, "gone", safe, repair))
    assert "unit db drifted: gone" in warning.message
    assert told in warning.message
    assert fix in warning.fix


def test_the_warning_of_a_repaired_unit_tells_of_its_approval_whatever_becomes_of_other_drift() -> None:
    reviewed = ApprovalPolicy(ApprovalBinding.PLAN, require_digest=True)
    for repair in DriftRepair:
        warning = verify_drift_warning(DriftedUnit("dev", desired(), "gone", True, repair, reviewed, repaired=True))
        assert "it was repaired with nyl exec" in warning.message
        assert "--approve db=<digest>" in warning.fix
