"""Runs page, Approvals: which approval lets an execution or a teardown start, as a table of cases."""

from dataclasses import replace

import pytest

from nyl.engine.authorization import Authorization, Subject, approve_option, counts, what_lacks
from nyl.project.units import ApprovalBinding, ApprovalPolicy
from tests.engine.builders import KEY, OTHER_KEY

NEED = "it needs an approval"
DIGEST = "sha256:" + "d" * 64
BY_KEY, BY_PLAN = ApprovalPolicy(), ApprovalPolicy(ApprovalBinding.PLAN)
REVIEWED = replace(BY_PLAN, require_digest=True)
UNIT = Subject(KEY, policy=BY_KEY)
GONE = Subject(KEY, "uid-1", BY_KEY)
GIVEN = Authorization(KEY)
ANOTHER = Authorization(OTHER_KEY)


@pytest.mark.parametrize(
    ("subject", "approval", "need", "lacks"),
    [
        (UNIT, None, NEED, NEED),
        (UNIT, GIVEN, NEED, ""),
        (UNIT, ANOTHER, NEED, "another execution key"),
        (UNIT, replace(GIVEN, digest=DIGEST), NEED, ""),
        (replace(UNIT, policy=BY_PLAN), GIVEN, NEED, ""),
        (replace(UNIT, policy=REVIEWED), GIVEN, NEED, "must name the digest"),
        (replace(UNIT, policy=REVIEWED), None, NEED, NEED),
        (replace(UNIT, policy=REVIEWED), replace(GIVEN, digest=DIGEST), NEED, ""),
        (replace(UNIT, replanned=DIGEST), replace(GIVEN, digest=KEY), NEED, f"its digest is {DIGEST} now"),
        (Subject(KEY), None, "", ""),
        (Subject(KEY), ANOTHER, "", ""),
        (Subject(KEY), replace(ANOTHER, digest=DIGEST), "", "another execution key"),
        (GONE, GIVEN, NEED, "another execution key"),
        (GONE, replace(GIVEN, uid="uid-1"), NEED, ""),
        (GONE, replace(GIVEN, uid="uid-0"), NEED, "another execution key"),
        (replace(GONE, policy=REVIEWED), replace(GIVEN, uid="uid-1"), "", ""),
    ],
)
def test_what_keeps_an_execution_or_teardown_from_starting(
    subject: Subject, approval: Authorization | None, need: str, lacks: str
) -> None:
    found = what_lacks(subject, approval, need)
    assert lacks in found
    assert bool(found) is bool(lacks)


@pytest.mark.parametrize(
    ("subject", "approval", "given"),
    [
        (UNIT, None, False),
        (UNIT, GIVEN, True),
        (UNIT, ANOTHER, False),
        (Subject(KEY), GIVEN, True),
        (replace(UNIT, replanned=DIGEST), GIVEN, False),
    ],
)
def test_only_an_approval_of_just_this_is_recorded(
    subject: Subject, approval: Authorization | None, *, given: bool
) -> None:
    assert counts(subject, approval) is given


@pytest.mark.parametrize(
    ("policy", "digest", "option"),
    [
        (None, None, "--approve db"),
        (BY_KEY, None, "--approve db"),
        (BY_KEY, DIGEST, f"--approve db={DIGEST}"),
        (BY_PLAN, None, "--approve db=<digest>"),
        (BY_PLAN, DIGEST, f"--approve db={DIGEST}"),
    ],
)
def test_the_option_that_approves_fits_the_policy(
    policy: ApprovalPolicy | None, digest: str | None, option: str
) -> None:
    assert approve_option("db", policy, digest) == option
