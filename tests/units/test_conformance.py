"""The suite that every driver must pass, tried on drivers that do and on some that do not."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from nyl.project.units import OutputDeclaration
from nyl.units.command import CommandDriver
from nyl.units.conformance import (
    aftercare_problems,
    driver_problems,
    execution_problems,
    interruption_problems,
    secret_problems,
)
from nyl.units.driver import (
    Capability,
    Driver,
    ExecutionContext,
    ReceiptFacts,
    RecoveryPolicy,
    ResolvedUnit,
    TeardownOrder,
)
from nyl.units.inputs import InputFiles, Inputs
from nyl.units.mishaps import Mishap
from nyl.units.outcomes import (
    Failed,
    FailureCategory,
    InspectOutcome,
    NotApplied,
    Outcome,
    Removed,
    Succeeded,
    TeardownOutcome,
    Verified,
    VerifyOutcome,
    Waiting,
)
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


ORDERLY = {
    "command": ["/bin/sh", "-c", "mkdir -p made && touch made/it"],
    "inspect": ["/bin/sh", "-c", 'test -e made/it || exit 3; echo {} > "$NYL_OUTPUTS"'],
    "verify": ["/bin/sh", "-c", "test -e made/it || exit 2"],
    "teardown": {"command": ["/bin/rm", "-rf", "made"], "idempotent": True},
    "plan": ["/bin/sh", "-c", "echo +made"],
}


@pytest.mark.parametrize("more", [{"idempotent": True}, {}])
def test_a_command_tells_the_truth_when_it_is_interrupted(tmp_path: Path, more: dict[str, Any]) -> None:
    assert interruption_problems(CommandDriver(), unit({**ORDERLY, **more}), tmp_path) == ()


class Optimist(CommandDriver):
    """Takes every tool for one that did what it should."""

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        context.run(unit.spec["command"])
        return Succeeded()

    def verify(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> VerifyOutcome:
        return Verified(context.run(unit.spec["verify"]).exit_code != 0)

    def inspect(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> InspectOutcome:
        return Succeeded() if context.run(unit.spec["inspect"]).exit_code == 0 else NotApplied()

    def teardown(
        self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts, order: TeardownOrder
    ) -> TeardownOutcome:
        context.run(["/bin/rm", "-rf", "made"])
        return Removed()


@pytest.mark.parametrize("mishap", Mishap)
def test_what_a_driver_cannot_know_is_named(tmp_path: Path, mishap: Mishap) -> None:
    problems = interruption_problems(Optimist(), unit(ORDERLY), tmp_path)

    for claim, step, program in [
        ("Succeeded", "execute", "/bin/sh"),
        ("NotApplied", "inspect", "/bin/sh"),
        ("Verified", "verify", "/bin/sh"),
        ("Removed", "teardown", "/bin/rm"),
    ]:
        assert f"claims {claim} when tool 1 of {step} ({program}) {mishap}" in problems


class Hopeless(CommandDriver):
    """Says that it converges, and does only on a clean table."""

    def recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        return RecoveryPolicy.CONVERGE

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        if (context.checkout / "begun").exists():
            return Failed(FailureCategory.EXECUTION, True, "there is something")
        (context.checkout / "begun").touch()
        return super().execute(unit, context)


def test_a_driver_that_does_not_recover_as_it_says_is_found_out(tmp_path: Path) -> None:
    (problem,) = interruption_problems(Hopeless(), unit({"command": ["/bin/true"]}), tmp_path)

    assert problem.startswith("does not recover by converge, but gives Failed(")
    assert problem.endswith("when tool 1 of execute (/bin/true) is killed by somebody else")


SECRET = {"PASSWORD": "correct-horse-battery"}


def test_a_command_keeps_its_secrets(tmp_path: Path) -> None:
    steps = {name: ["/bin/sh", "-c", 'echo "$PASSWORD"; exit 0'] for name in ("command", "verify", "teardown", "plan")}

    assert secret_problems(CommandDriver(), unit(steps), tmp_path, SECRET) == ()


class Blabber(CommandDriver):
    """Does everything with a secret that nobody should."""

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        secret = context.variables["PASSWORD"]
        context.run(["/bin/true", f"--password={secret}"])
        (context.cache / "login").write_text(secret)
        context.run(["/bin/echo", "token-of-the-tool"])
        print("by the way")
        subprocess.run(["/bin/true"], check=True)
        return Succeeded({"token": "token-of-the-tool", "url": f"https://u:{secret}@host"})


@pytest.mark.parametrize(
    "problem",
    [
        "gives /bin/true a secret as an argument (during execute)",
        "leaves a secret in context.cache: login",
        "shows a secret that nyl did not know yet when it was printed (during execute)",
        "gives a secret in outputs (during execute)",
        "prints to the standard streams of nyl, where nothing masks it (during execute)",
        "starts /bin/true without context.run (during execute)",
    ],
)
def test_a_leak_is_named(tmp_path: Path, problem: str) -> None:
    declared = {"token": OutputDeclaration("string", sensitive=True)}

    assert problem in secret_problems(Blabber(), unit({"command": ["/x"]}, declared), tmp_path, SECRET)


class Sly(CommandDriver):
    """Looks at more of its spec than it should."""

    def inputs(self, spec: Mapping[str, Any]) -> Inputs:
        named = next(iter(spec)), *(spec["values"]["a"][:1] if "values" in spec else ())
        return Inputs(files=(InputFiles(named),), fingerprint=("./f",) if spec.get("idempotent") else None)


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"command": ["x"], "files": ["a"]}, "says something else of a spec whose keys stand in another order"),
        ({"command": ["x"], "values": {"a": "b"}}, "raises TypeError where /values has references without values"),
        ({"command": ["x"], "idempotent": True}, "reads something else without its neutral field idempotent"),
        ({"command": ["x"], "values": {}}, "raises KeyError when it is asked about a valid spec"),
        ({"command": ["x"]}, "has method plan, but capability plan for none of the specs"),
    ],
)
def test_inputs_that_follow_more_than_the_key_are_named(spec: dict[str, Any], problem: str) -> None:
    assert any(each.startswith(problem) for each in driver_problems(Sly(), [spec]))


class Impatient(CommandDriver):
    """Waits for ever, whatever an operator says."""

    def teardown(
        self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts, order: TeardownOrder
    ) -> TeardownOutcome:
        return Waiting("not yet")


def test_a_driver_that_ignores_an_operators_word_is_found_out(tmp_path: Path) -> None:
    planless = {name: step for name, step in COMMAND.items() if name != "plan"}

    assert aftercare_problems(Impatient(), unit(planless), tmp_path) == (
        "goes on waiting although the order has confirm_removed",
        "goes on waiting although the order has allow_incomplete",
    )


def test_the_suite_needs_nothing_but_nyl(tmp_path: Path) -> None:
    script = "import sys, nyl.units.conformance; print(*sys.modules)"

    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)

    modules = {each.split(".")[0] for each in done.stdout.split()}
    assert not {"pytest", "_pytest", "hypothesis", "tests", "xdist", "nyl_test_drivers"} & modules


def test_a_driver_that_adds_fields_may_take_references_in_them() -> None:
    class Adds(CommandDriver):
        reference_fields: tuple[str, ...] = ("/values", "/added")

        def expand(self, spec: Mapping[str, Any], project: object) -> None:
            """As drivers have it whose projects say more of a unit than its spec."""

    assert driver_problems(Adds(), SPECS["Command"]) == ()


class Handy(CommandDriver):
    """Has methods that only some drivers have, and gets them wrong."""

    def native(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts, arguments: object) -> None:
        """Prepares nothing."""

    def secrets(self, spec: Mapping[str, Any]) -> Any:
        return "password"


@pytest.mark.parametrize(
    "problem",
    [
        "runs its tool natively, but plans no change that could be approved after that",
        "asks for secrets 'password', where a tuple of their keys is expected",
    ],
)
def test_methods_that_only_some_drivers_have_are_looked_at(problem: str) -> None:
    assert problem in driver_problems(Handy(), [{"command": ["x"]}])
    assert problem not in driver_problems(CommandDriver(), [{"command": ["x"]}])
