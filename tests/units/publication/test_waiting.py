"""Page Deletion and holds, Publication teardown waits: what ends a wait, as tables."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from nyl.core.clock import Instant
from nyl.core.schemas import Validator
from nyl.units.driver import TeardownOrder
from nyl.units.publication.waiting import (
    TEARDOWN_WAIT_SCHEMA,
    Over,
    Sighting,
    Wait,
    WaitPolicy,
    WaitStrategy,
    over_by_order,
    over_by_policy,
    recorded_wait,
    wait_policy,
    why_it_waits,
)

BEGAN = Instant.parse("2026-09-24T12:00:00Z")
WAIT = Wait(BEGAN, ("argocd/api", "argocd/web"))
NOBODY = "nobody saw that Argo CD removed the workloads of"
MANUAL, OBSERVE = WaitPolicy(), WaitPolicy(WaitStrategy.OBSERVE)
DELAY = WaitPolicy(WaitStrategy.DELAY, timedelta(hours=2))
CONFIRM = "nyl teardown -e dev --unit site --confirm-removed"
ENDS = f"`{CONFIRM}` ends the wait once they are gone"


@pytest.mark.parametrize(
    ("wait", "order", "over"),
    [
        (WAIT, TeardownOrder(), None),
        (None, TeardownOrder(), None),
        (WAIT, TeardownOrder(confirm_removed=True), Over()),
        (None, TeardownOrder(confirm_removed=True), Over()),
        (WAIT, TeardownOrder(confirm_removed=True, allow_incomplete=True), Over()),
        (
            WAIT,
            TeardownOrder(allow_incomplete=True),
            Over(incomplete=f"{NOBODY} 2 Applications (argocd/api, argocd/web)"),
        ),
        (None, TeardownOrder(allow_incomplete=True), Over(incomplete=f"{NOBODY} its Applications")),
    ],
)
def test_what_an_operator_says_ends_a_wait(wait: Wait | None, order: TeardownOrder, over: Over | None) -> None:
    assert over_by_order(wait, order) == over


@pytest.mark.parametrize(
    ("policy", "wait", "hours", "seen", "confirmed"),
    [
        (MANUAL, WAIT, 1000, None, None),
        (DELAY, WAIT, 0, None, None),
        (DELAY, WAIT, 1.999, None, None),
        (DELAY, WAIT, 2, None, "the delay of 2h since 2026-09-24T12:00:00Z is over"),
        (DELAY, WAIT, -5, None, None),
        (OBSERVE, WAIT, 1000, None, None),
        (OBSERVE, WAIT, 0, Sighting(("argocd/web",)), None),
        (OBSERVE, WAIT, 0, Sighting(problem="kubectl ended with exit code 1"), None),
        (OBSERVE, WAIT, 0, Sighting(), "observed: 2 Applications (argocd/api, argocd/web) are gone"),
        (OBSERVE, Wait(BEGAN, ("argocd/web",)), 0, Sighting(), "observed: 1 Application (argocd/web) is gone"),
        (OBSERVE, Wait(BEGAN, ()), 0, Sighting(), None),
        (OBSERVE, Wait(BEGAN, ("argocd/web",), "seen before"), 0, None, "seen before"),
    ],
)
def test_a_policy_ends_a_wait(
    policy: WaitPolicy, wait: Wait, hours: float, seen: Sighting | None, confirmed: str | None
) -> None:
    over = over_by_policy(policy, wait, BEGAN + timedelta(hours=hours), seen)
    assert over == (Over(confirmed) if confirmed else None)


@pytest.mark.parametrize(
    ("policy", "seen", "reason"),
    [
        (MANUAL, None, "for somebody to see that Argo CD removed 2 Applications (argocd/api, argocd/web)"),
        (DELAY, None, "until 2026-09-24T14:00:00Z for Argo CD to remove 2 Applications (argocd/api, argocd/web)"),
        (OBSERVE, Sighting(("argocd/web",)), "for Argo CD to remove 1 Application (argocd/web)"),
    ],
)
def test_a_wait_says_since_when_it_waits_for_what_and_how_it_ends(
    policy: WaitPolicy, seen: Sighting | None, reason: str
) -> None:
    assert why_it_waits(policy, WAIT, seen, CONFIRM) == f"waits since 2026-09-24T12:00:00Z {reason}; {ENDS}"


def test_a_wait_that_cannot_be_observed_says_why() -> None:
    told = why_it_waits(OBSERVE, WAIT, Sighting(problem="kubectl is asleep"), CONFIRM)
    assert "it could not be seen whether its Applications are gone: kubectl is asleep; " in told
    unknown = why_it_waits(OBSERVE, Wait(BEGAN, ()), None, CONFIRM)
    assert "for somebody to see that Argo CD removed its Applications" in unknown


def test_many_applications_are_counted_and_only_some_named() -> None:
    names = tuple(f"argocd/app-{number}" for number in range(1000))
    told = why_it_waits(MANUAL, Wait(BEGAN, names), None, CONFIRM)
    assert (
        "1000 Applications (argocd/app-0, argocd/app-1, argocd/app-2, argocd/app-3, argocd/app-4 and 995 more)" in told
    )


@pytest.mark.parametrize("wait", [WAIT, Wait(BEGAN, ()), Wait(BEGAN, ("argocd/web",), "observed")])
def test_a_wait_is_recorded_as_plain_data(wait: Wait) -> None:
    assert recorded_wait(wait.progress) == wait


@pytest.mark.parametrize(
    ("spec", "policy"),
    [
        ({}, MANUAL),
        ({"teardownWait": {}}, MANUAL),
        ({"teardownWait": {"strategy": "manual"}}, MANUAL),
        ({"teardownWait": {"strategy": "delay", "duration": "2h"}}, DELAY),
        ({"teardownWait": {"strategy": "observe"}}, OBSERVE),
        (
            {"teardownWait": {"strategy": "observe", "duration": "90s"}},
            WaitPolicy(WaitStrategy.OBSERVE, timedelta(seconds=90)),
        ),
    ],
)
def test_a_spec_declares_a_policy_and_manual_is_the_default(spec: Mapping[str, Any], policy: WaitPolicy) -> None:
    assert wait_policy(spec) == policy


@pytest.mark.parametrize(
    ("wait", "valid"),
    [
        ({}, True),
        ({"strategy": "manual"}, True),
        ({"strategy": "manual", "duration": "2h"}, False),
        ({"duration": "2h"}, False),
        ({"strategy": "delay"}, False),
        ({"strategy": "delay", "duration": "1h30m"}, True),
        ({"strategy": "delay", "duration": "0s"}, False),
        ({"strategy": "delay", "duration": "-1h"}, False),
        ({"strategy": "delay", "duration": "soon"}, False),
        ({"strategy": "delay", "duration": ""}, False),
        ({"strategy": "delay", "duration": "2h\n"}, False),
        ({"strategy": "delay", "duration": 7200}, False),
        ({"strategy": "observe"}, True),
        ({"strategy": "observe", "duration": "5m"}, True),
        ({"strategy": "never"}, False),
        ({"stratgy": "manual"}, False),
    ],
)
def test_a_schema_says_which_policies_there_are(wait: Mapping[str, Any], *, valid: bool) -> None:
    assert (not Validator(TEARDOWN_WAIT_SCHEMA).problems(wait)) is valid


def test_a_duration_that_nothing_waits_for_is_told_as_one_that_is_not_allowed() -> None:
    found = Validator(TEARDOWN_WAIT_SCHEMA).problems({"strategy": "manual", "duration": "2h"})
    assert [(each.pointer, each.reason) for each in found] == [
        ("/duration", "goes with the strategies delay and observe")
    ]
