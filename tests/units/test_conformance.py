"""The suite that every driver must pass, tried on drivers that do and on some that do not."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from nyl.units.command import CommandDriver
from nyl.units.conformance import aftercare_problems, driver_problems, execution_problems
from nyl.units.driver import Capability, Driver, ExecutionContext, RecoveryPolicy, ResolvedUnit
from nyl.units.inputs import InputFiles, Inputs
from nyl.units.outcomes import Outcome, Succeeded
from nyl.units.registry import DriverRegistry
from tests.driver_package.installed import installed_at
from tests.units.building import Bench, unit

LOCK = {"path": "lib", "repositoryRef": {"name": "shared"}, "revision": "main", "commit": "a" * 40}
SPECS: Mapping[str, list[dict[str, Any]]] = {
    "Command": [
        {"command": ["./x"]},
        {"command": ["./x", ""], "files": ["a/**"], "fingerprint": ["./f"], "idempotent": True, "values": {"a": 1}},
        {"command": ["./x"], "teardown": ["./t"], "verify": ["./v"], "inspect": ["./i"]},
        {"command": ["./x"], "teardown": {"command": ["./t"], "idempotent": True}},
        {"command": ["./x"], "plan": ["./p"]},
    ],
    "Probe": [
        {},
        {"source": {"path": "infra"}, "contexts": {"shared": LOCK}, "inspect": "applied"},
        {"contexts": {"inline": {"path": "x", "repository": {"repoURL": "https://h/r"}, "revision": "v1"}}},
    ],
    "CommittedOnly": [{}],
    "Preview": [{}, {"change": "/c", "manual": True}],
    "Waiter": [{}, {"until": "gone", "manual": True}, {"status": "/s", "log": "/l", "incomplete": "a bucket"}],
    "Broken": [{"raiseIn": "execute"}, {"raiseIn": "inspect"}],
}


@pytest.fixture
def drivers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, Driver]:
    for name in [each for each in sys.modules if each.startswith("nyl_test_drivers")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(installed_at(tmp_path)))
    registry = DriverRegistry()
    return {each.kind: registry.driver(each.api_version, each.kind) for each in registry.all_kinds()}


@pytest.mark.parametrize("kind", SPECS)
def test_every_driver_keeps_its_promises(drivers: Mapping[str, Driver], kind: str) -> None:
    assert driver_problems(drivers[kind], SPECS[kind]) == ()


@pytest.mark.parametrize(
    ("kind", "spec"), [("Command", {"command": ["/bin/true"]}), ("Probe", {"values": {"a": 1}, "artifact": True})]
)
def test_every_driver_executes(drivers: Mapping[str, Driver], tmp_path: Path, kind: str, spec: dict[str, Any]) -> None:
    assert execution_problems(drivers[kind], unit(spec), tmp_path) == ()


COMMAND = {
    "command": ["/bin/sh", "-c", "touch made"],
    "inspect": ["/bin/sh", "-c", 'test -e made || exit 3; echo {} > "$NYL_OUTPUTS"'],
    "verify": ["/bin/sh", "-c", "test -e made || exit 2"],
    "teardown": {"command": ["/bin/rm", "-f", "made"], "idempotent": True},
    "plan": ["/bin/sh", "-c", "echo +made"],
}


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("Command", COMMAND),
        ("Probe", {"inspect": "applied", "values": {"a": 1}}),
        ("Preview", {}),
        ("Waiter", {}),
        ("Waiter", {"until": "/never/there"}),
    ],
)
def test_every_driver_looks_after_what_it_executed(
    drivers: Mapping[str, Driver], tmp_path: Path, kind: str, spec: dict[str, Any]
) -> None:
    assert aftercare_problems(drivers[kind], unit(spec), tmp_path) == ()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"inspect": ["/bin/sh", "-c", "exit 3"]}, "finds that nothing was applied"),
        ({"inspect": ["/bin/sh", "-c", "exit 1"]}, "cannot tell whether it was applied"),
        ({"verify": ["/bin/sh", "-c", "exit 2"]}, "finds drift right after it succeeded"),
        ({"verify": ["/bin/sh", "-c", "exit 1"]}, "failed to verify"),
        ({"teardown": ["/bin/sh", "-c", "exit 1"]}, "failed to tear down"),
        ({"teardown": ["/bin/sh", "-c", "kill -9 $$"]}, "tears down uncertainly"),
        ({"teardown": {"command": ["/bin/rm", "made"], "idempotent": True}}, "converges, but a second teardown gives"),
        ({"command": ["/bin/false"]}, "failed: /bin/false"),
        ({"plan": ["/bin/false"]}, "its plan failed: /bin/false"),
        ({"plan": ["/bin/sh", "-c", "mktemp -u"]}, "its plan gives another change when it is asked again"),
        ({"plan": ["/bin/sh", "-c", "touch planned"]}, "its plan changes files of the checkout"),
    ],
)
def test_what_goes_wrong_after_the_execution_is_named(tmp_path: Path, change: dict[str, object], problem: str) -> None:
    assert problem in " ".join(aftercare_problems(CommandDriver(), unit({**COMMAND, **change}), tmp_path))


class Heedless(CommandDriver):
    """Reports digests and does not look at the approved one."""

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        context.approved_digest = None
        return super().execute(unit, context)


def test_a_driver_that_does_what_nobody_approved_is_found_out(tmp_path: Path) -> None:
    (problem,) = aftercare_problems(Heedless(), unit(COMMAND), tmp_path)
    assert "where another change was approved" in problem


def test_a_driver_that_raises_later_is_found_out(drivers: Mapping[str, Driver], tmp_path: Path) -> None:
    problems = " ".join(aftercare_problems(drivers["Broken"], unit({"raiseIn": "verify"}), tmp_path))

    for step in ("inspect", "verify", "teardown"):
        assert f"raises RuntimeError when its run is cancelled during {step}" in problems


def test_a_probe_tells_what_its_checkouts_hold(drivers: Mapping[str, Driver], bench: Bench) -> None:
    (bench.checkout / "a.txt").write_text("a")
    bench.context.checkouts = {"/source": bench.checkout}

    outcome = bench.execute(drivers["Probe"], unit({"source": {"path": "lib"}}, {"files": "array"}))

    assert isinstance(outcome, Succeeded)
    assert outcome.outputs == {"files": ["/source:a.txt"]}


def test_a_driver_that_raises_is_found_out(drivers: Mapping[str, Driver], tmp_path: Path) -> None:
    uncertain, cancelled = execution_problems(drivers["Broken"], unit({}), tmp_path)

    assert "is uncertain" in uncertain
    assert "raises RuntimeError when its run is cancelled" in cancelled


class Careless(CommandDriver):
    """Breaks promises that only show when it is asked."""

    kind = "Careless"
    neutral_fields: tuple[str, ...] = ("missing",)
    reference_fields: tuple[str, ...] = ("/nowhere", "values")

    def capabilities(self, spec: Mapping[str, Any]) -> frozenset[Capability]:
        return frozenset({Capability.TEARDOWN, Capability.VERIFY})

    def recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        return RecoveryPolicy.INSPECT

    def teardown_recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        return RecoveryPolicy.INSPECT

    verify: Any = None

    def inputs(self, spec: Mapping[str, Any]) -> Inputs:
        assert isinstance(spec, dict)
        spec["touched"] = True
        return Inputs(files=(InputFiles(("x",), "/source"),))


@pytest.mark.parametrize(
    "problem",
    [
        "has neutral field missing",
        "takes references at /nowhere",
        "takes references at values",
        "cannot inspect",
        "has capability verify, but no method verify",
        "has teardown recovery policy",
        "changes the spec",
        "reads files of source /source",
    ],
)
def test_a_broken_promise_is_named(problem: str) -> None:
    assert any(problem in each for each in driver_problems(Careless(), [{"command": ["x"]}]))


def test_a_valid_spec_that_the_schema_refuses_is_named() -> None:
    problems = driver_problems(CommandDriver(), [{"command": [5]}, {"command": [""]}, {"command": []}, {}])

    assert len(problems) == 4
