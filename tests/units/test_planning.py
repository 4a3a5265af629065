"""What the plan step of a Command shows, what its digest stands for, and that nothing else is done with an approval."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from nyl.core.canonical import digest_bytes
from nyl.units.command import CommandDriver
from nyl.units.driver import Capability, ExecutionContext, ReceiptFacts, ResolvedUnit, TeardownOrder
from nyl.units.outcomes import (
    AwaitingApproval,
    Failed,
    FailureCategory,
    Outcome,
    Planned,
    PlanOutcome,
    Removed,
    Succeeded,
    TeardownOutcome,
    Uncertain,
)
from tests.units.building import Bench, unit

DRIVER = CommandDriver()
OTHER = digest_bytes(b"another change")


def step(script: str) -> list[str]:
    return ["/bin/sh", "-c", script]


def plan(bench: Bench, script: str, seconds: float = 60, **spec: Any) -> PlanOutcome:
    return bench.plan(DRIVER, unit({"command": ["./x"], "plan": step(script), **spec}, seconds=seconds))


def planned(text: str) -> Planned:
    return Planned(text, "sha256:" + hashlib.sha256(text.encode()).hexdigest())


def test_a_command_plans_with_a_plan_step_alone() -> None:
    assert DRIVER.capabilities({"command": ["./x"], "plan": ["./p"]}) == {Capability.PLAN, Capability.DIGEST}


def test_the_change_is_what_the_step_prints_on_stdout_and_only_stderr_streams(bench: Bench) -> None:
    assert plan(bench, "echo +1 table; echo asking >&2") == planned("+1 table\n")
    assert bench.lines == ["asking"]


def test_a_step_that_prints_nothing_plans_no_change(bench: Bench) -> None:
    assert plan(bench, "true") == planned("")


def test_a_plan_step_gets_what_the_command_gets_and_no_receipt(bench: Bench) -> None:
    script = 'cat "$NYL_INPUTS"; echo "$NYL_ENVIRONMENT/$NYL_UNIT ${NYL_RECEIPT-none}"; pwd'
    assert plan(bench, script, values={"a": 1}) == planned(f'{{"a": 1}}\ndev/seed none\n{bench.checkout}\n')


def test_secrets_and_escape_sequences_are_in_neither_the_text_nor_the_digest(
    bench_with: Callable[..., Bench],
) -> None:
    bench = bench_with("hunter2222")
    assert plan(bench, r"printf '\033[31m+ login hunter\033[0m2222 \377\000\n'") == planned(
        "+ login *** \ufffd\ufffd\n"
    )


@pytest.mark.parametrize(
    ("script", "category", "told"),
    [
        ("exit 3", FailureCategory.EXECUTION, "/bin/sh ended with exit code 3"),
        ("kill -KILL $$", FailureCategory.EXECUTION, "/bin/sh was killed by SIGKILL"),
        ("head -c 1048577 /dev/zero", FailureCategory.EXECUTION, "/bin/sh printed more than 1 MiB"),
    ],
)
def test_a_step_that_does_not_end_well_plans_nothing(
    bench: Bench, script: str, category: FailureCategory, told: str
) -> None:
    assert plan(bench, script) == Failed(category, True, told)


def test_a_step_may_print_a_mebibyte(bench: Bench) -> None:
    assert isinstance(plan(bench, "head -c 1048576 /dev/zero"), Planned)


def test_a_step_that_hangs_fails_after_the_unit_s_timeout(bench: Bench) -> None:
    assert plan(bench, "sleep 60", seconds=0.2) == Failed(
        FailureCategory.EXECUTION, True, "/bin/sh passed its timeout of 0s"
    )


def test_a_step_that_cannot_start_fails_to_start(bench: Bench) -> None:
    outcome = bench.plan(DRIVER, unit({"command": ["./x"], "plan": ["./missing"]}))
    assert isinstance(outcome, Failed)
    assert outcome.category is FailureCategory.START


def execute(bench: Bench, approved: str | None, plan: str = "echo +1") -> Outcome:
    bench.context.approved_digest = approved
    return bench.execute(DRIVER, unit({"command": step("touch made"), "plan": step(plan)}))


def test_the_approved_change_is_made(bench: Bench) -> None:
    assert execute(bench, planned("+1\n").digest) == Succeeded()
    assert (bench.checkout / "made").exists()


@pytest.mark.parametrize(
    "leaves",
    [
        'echo "{}" > "$NYL_OUTPUTS"',
        'mkdir "$NYL_OUTPUTS"',
        'echo 1 > "$TMPDIR/left"',
        'ln -sf /nowhere/x "$NYL_INPUTS"',
    ],
)
def test_nothing_that_planning_leaves_is_taken_for_a_part_of_the_execution(bench: Bench, leaves: str) -> None:
    restored: list[str] = []
    bench.context.restore = lambda: restored.append("checkout")
    bench.context.approved_digest = planned("+1\n").digest
    look = 'cat "$NYL_INPUTS" && ls "$TMPDIR" && ! [ -e "$NYL_OUTPUTS" ]'
    outcome = bench.execute(DRIVER, unit({"command": step(look), "plan": step(f"echo +1; {leaves}")}))
    assert (outcome, bench.lines, restored) == (Succeeded(), ["{}"], ["checkout"])


@pytest.mark.parametrize(
    ("approved", "script", "outcome"),
    [
        (OTHER, "echo +1", AwaitingApproval(planned("+1\n").digest)),
        (OTHER, "exit 1", Failed(FailureCategory.EXECUTION, True, "/bin/sh ended with exit code 1")),
    ],
)
def test_no_other_change_is_made(bench: Bench, approved: str, script: str, outcome: Outcome) -> None:
    assert execute(bench, approved, script) == outcome
    assert not (bench.checkout / "made").exists()


def test_without_an_approved_digest_nothing_is_planned_again(bench: Bench) -> None:
    assert execute(bench, None, "touch planned") == Succeeded()
    assert not (bench.checkout / "planned").exists()


RECEIPT = ReceiptFacts({"host": "dü", "port": 5})


def removal(bench: Bench, receipt: ReceiptFacts = RECEIPT, **change: Any) -> Planned:
    spec = {"command": ["./x"], "plan": ["./p"], "teardown": step("touch gone"), **change}
    outcome = bench.plan_teardown(DRIVER, unit(spec), receipt)
    assert isinstance(outcome, Planned)
    return outcome


def test_a_removal_names_its_step_and_the_outputs(bench: Bench) -> None:
    text = "run /bin/sh -c 'touch gone' to remove dev/seed\n  host: \"dü\"\n  port: 5\n"
    assert removal(bench).text == text
    assert not (bench.checkout / "gone").exists()


def test_the_digest_of_a_removal_follows_the_recorded_unit_and_its_outputs(bench: Bench) -> None:
    assert removal(bench) == removal(bench)
    others = [
        removal(bench, ReceiptFacts({"host": "d"})),
        removal(bench, values={"a": 1}),
        removal(bench, teardown=["t"]),
        removal(bench, replace(RECEIPT, uid="another-incarnation")),
    ]
    first = removal(bench)
    bench.context.revision = "0f" * 20
    others.append(removal(bench))
    assert f"  files of: {'0f' * 20}\n" in others[-1].text
    assert len({each.digest for each in [first, *others]}) == 6


def tear_down(bench: Bench, approved: str) -> TeardownOutcome:
    bench.context.approved_digest = approved
    spec = {"command": ["./x"], "plan": ["./p"], "teardown": step("touch gone")}
    return bench.tear_down(DRIVER, unit(spec), RECEIPT)


def test_only_the_approved_removal_is_carried_out(bench: Bench) -> None:
    digest = removal(bench).digest
    assert tear_down(bench, OTHER) == AwaitingApproval(digest)
    assert not (bench.checkout / "gone").exists()
    assert tear_down(bench, digest) == Removed()
    assert (bench.checkout / "gone").exists()


class Scripted(CommandDriver):
    """A driver that gives one answer, or raises it."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def plan(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> PlanOutcome:
        if isinstance(self._answer, BaseException):
            raise self._answer
        outcome: PlanOutcome = self._answer
        return outcome

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        outcome: Outcome = self._answer
        return outcome

    def teardown(
        self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts, order: TeardownOrder
    ) -> TeardownOutcome:
        outcome: TeardownOutcome = self._answer
        return outcome


@pytest.mark.parametrize(
    "answer",
    [
        RuntimeError("odd"),
        SystemExit(0),
        None,
        Succeeded(),
        Planned("+1", "sha256:abc"),
        Planned("+1", OTHER.upper()),
        Planned(b"+1", OTHER),  # type: ignore[arg-type]
    ],
)
def test_a_plan_that_no_driver_may_give_is_a_driver_error(bench: Bench, answer: Any) -> None:
    outcome = bench.plan(Scripted(answer), unit({}))
    assert isinstance(outcome, Failed)
    assert outcome.category is FailureCategory.DRIVER_ERROR


def test_secrets_are_masked_in_the_change_of_any_driver(bench: Bench) -> None:
    bench.context.masker.add("hunter2222")
    assert bench.plan(Scripted(Planned("+ hunter2222", OTHER)), unit({})) == Planned("+ ***", OTHER)


def test_a_wait_for_an_approval_needs_the_digest_of_another_change(bench: Bench) -> None:
    bench.context.approved_digest = OTHER
    new = AwaitingApproval(planned("+1").digest)
    assert bench.execute(Scripted(new), unit({})) == new
    assert bench.tear_down(Scripted(new), unit({})) == new
    for wrong in (AwaitingApproval(OTHER), AwaitingApproval("sha256:1")):
        assert isinstance(bench.execute(Scripted(wrong), unit({})), Uncertain)
        assert isinstance(bench.tear_down(Scripted(wrong), unit({})), Uncertain)


def test_a_cancelled_run_plans_nothing(bench: Bench) -> None:
    bench.cancellation.cancel()
    outcome = plan(bench, "touch planned")
    assert isinstance(outcome, Failed)
    assert not (bench.checkout / "planned").exists()
