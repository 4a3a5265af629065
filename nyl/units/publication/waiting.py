"""What a teardown waits for between its two phases, and when that is over. Pure.

Follows Publication teardown waits of the page Deletion and holds.
"""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Any

from nyl.core.clock import Instant
from nyl.core.counts import counted
from nyl.core.dataclass import dataclass
from nyl.core.durations import format_duration, parse_duration
from nyl.core.enumerations import enumerated
from nyl.units.driver import TeardownOrder


def _strategy(*names: str) -> dict[str, Any]:
    return {"properties": {"strategy": {"enum": list(names)}}, "required": ["strategy"]}


TEARDOWN_WAIT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "description": "What a teardown waits for before it removes the rest of the tree.",
    "properties": {
        "strategy": {
            "type": "string",
            "enum": ["manual", "delay", "observe"],
            "description": "`manual`, the default: for --confirm-removed; `delay`: for `duration` to pass; `observe`: "
            "until the Applications are gone from the cluster.",
        },
        "duration": {
            "type": "string",
            "pattern": "^(?=.*[1-9])([0-9]{1,9}d)?([0-9]{1,9}h)?([0-9]{1,9}m)?([0-9]{1,9}s)?$(?!\\n)",
            "x-reason": "must be a duration such as 30m or 1h30m",
            "description": "Such as `30m`. With `delay` how long it waits; with `observe` how long one run keeps "
            "looking, within the unit's timeout.",
        },
    },
    "allOf": [
        {"if": _strategy("delay"), "then": {"required": ["duration"]}},
        {
            "if": {"not": _strategy("delay", "observe")},
            "then": {"properties": {"duration": {"not": {}, "x-reason": "goes with the strategies delay and observe"}}},
        },
    ],
}
"""JSON Schema of `teardownWait`."""

_SHOWN = 5


class WaitStrategy(StrEnum):
    """What ends a wait."""

    MANUAL = "manual"
    DELAY = "delay"
    OBSERVE = "observe"


@dataclass(frozen=True)
class WaitPolicy:
    """`teardownWait` of a unit."""

    strategy: WaitStrategy = WaitStrategy.MANUAL
    duration: timedelta | None = None


@dataclass(frozen=True)
class Wait:
    """A wait that began, as the state keeps it for the runs to come."""

    since: Instant
    applications: tuple[str, ...]
    """`<namespace>/<name>` of the Applications that Argo CD is to remove."""
    confirmed: str = ""
    """How it ended, where that was found out already."""

    @property
    def progress(self) -> dict[str, Any]:
        """The wait as plain data."""
        ended = {"confirmed": self.confirmed} if self.confirmed else {}
        return {"since": self.since.iso_seconds(), "applications": list(self.applications), **ended}


@dataclass(frozen=True)
class Over:
    """That a wait is over: how that is known, or what nobody knows."""

    confirmed: str = ""
    incomplete: str = ""


@dataclass(frozen=True)
class Sighting:
    """What was seen of the Applications in the cluster."""

    left: tuple[str, ...] = ()
    """Those that are still there."""
    problem: str = ""
    """Why nobody could see; '' where somebody did."""


def wait_policy(spec: Mapping[str, Any]) -> WaitPolicy:
    """The policy that a unit's spec declares. Raises ValueError for one that its schema does not allow."""
    declared = spec.get("teardownWait") or {}
    duration = declared.get("duration")
    strategy = WaitStrategy(declared.get("strategy", WaitStrategy.MANUAL))
    return WaitPolicy(strategy, parse_duration(duration) if duration is not None else None)


def recorded_wait(progress: Mapping[str, Any]) -> Wait:
    """The wait that plain data says. Raises ValueError for what no wait says."""
    since, applications, confirmed = progress.get("since"), progress.get("applications"), progress.get("confirmed", "")
    if not isinstance(since, str) or not isinstance(confirmed, str) or not isinstance(applications, list | tuple):
        raise ValueError("it lacks since when it waits, or for which Applications")
    return Wait(Instant.parse(since), tuple(map(str, applications)), confirmed)


def over_by_order(wait: Wait | None, order: TeardownOrder) -> Over | None:
    """The end of a wait by an operator's word; None where there is none."""
    if order.confirm_removed:
        return Over()
    if order.allow_incomplete:
        what = f"of {_named(wait.applications)}" if wait and wait.applications else "of its Applications"
        return Over(incomplete=f"nobody saw that Argo CD removed the workloads {what}")
    return None


def over_by_policy(policy: WaitPolicy, wait: Wait, now: Instant, seen: Sighting | None) -> Over | None:
    """The end of a wait by what its policy says; None where it goes on. `seen` is what `observe` saw."""
    if wait.confirmed:
        return Over(wait.confirmed)
    if policy.strategy is WaitStrategy.DELAY and now >= _until(policy, wait):
        waited = format_duration(policy.duration or timedelta())
        return Over(f"the delay of {waited} since {wait.since.iso_seconds()} is over")
    if policy.strategy is WaitStrategy.OBSERVE and wait.applications and seen and not (seen.left or seen.problem):
        return Over(f"observed: {_named(wait.applications)} {'is' if len(wait.applications) == 1 else 'are'} gone")
    return None


def why_it_waits(policy: WaitPolicy, wait: Wait, seen: Sighting | None, confirm: str) -> str:
    """What a wait goes on for. `confirm` is the command by which an operator ends it."""
    since = f"since {wait.since.iso_seconds()}"
    ends = f"`{confirm}` ends the wait once they are gone"
    if policy.strategy is WaitStrategy.DELAY:
        until = _until(policy, wait).iso_seconds()
        return f"waits {since} until {until} for Argo CD to remove {_named(wait.applications)}; {ends}"
    if policy.strategy is WaitStrategy.OBSERVE and seen is not None:
        if seen.problem:
            return f"waits {since}; it could not be seen whether its Applications are gone: {seen.problem}; {ends}"
        if seen.left:
            return f"waits {since} for Argo CD to remove {_named(seen.left)}; {ends}"
    return f"waits {since} for somebody to see that Argo CD removed {_named(wait.applications)}; {ends}"


def _until(policy: WaitPolicy, wait: Wait) -> Instant:
    return wait.since + (policy.duration or timedelta())


def _named(applications: tuple[str, ...]) -> str:
    if not applications:
        return "its Applications"
    return f"{counted(len(applications), 'Application')} ({enumerated(applications, _SHOWN)})"
