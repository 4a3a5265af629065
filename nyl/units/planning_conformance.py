"""Whether a driver that plans keeps its promises: part of the conformance suite.

A plan has no effect, the same change has the same digest, and nothing is done but the change that was approved.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path

from nyl.units.context import UnitContext
from nyl.units.driver import Capability, Plans, ReceiptFacts, ResolvedUnit, TeardownOrder
from nyl.units.execution import execute, plan, plan_teardown, tear_down
from nyl.units.outcomes import AwaitingApproval, Failed, Outcome, Planned, PlanOutcome, TeardownOutcome
from nyl.units.trials import Trial

_NOBODYS = "sha256:" + "0" * 64
"""A change digest that no plan gives."""


def planning_problems(driver: Plans, unit: ResolvedUnit, trial: Trial) -> list[str]:
    """What goes wrong when a unit is planned, and then executed with an approval of another change."""
    nothing = ReceiptFacts()

    def ask(context: UnitContext) -> PlanOutcome:
        return plan(driver, unit, context, nothing)

    def act(context: UnitContext) -> Outcome:
        return execute(driver, unit, context)

    problems = trial.cancelled(lambda context: driver.plan(unit, context, nothing), (Planned, Failed), " during plan")
    return problems + _problems("plan", driver, unit, trial, ask, act)


def teardown_planning_problems(driver: Plans, unit: ResolvedUnit, trial: Trial, receipt: ReceiptFacts) -> list[str]:
    """The same for the teardown of a unit that was executed."""

    def ask(context: UnitContext) -> PlanOutcome:
        return plan_teardown(driver, unit, context, receipt)

    def act(context: UnitContext) -> TeardownOutcome:
        return tear_down(driver, unit, context, receipt, TeardownOrder())

    problems = trial.cancelled(
        lambda context: driver.plan_teardown(unit, context, receipt), (Planned, Failed), " during plan_teardown"
    )
    return problems + _problems("plan of a teardown", driver, unit, trial, ask, act)


def _problems(
    what: str,
    driver: Plans,
    unit: ResolvedUnit,
    trial: Trial,
    ask: Callable[[UnitContext], PlanOutcome],
    act: Callable[[UnitContext], object],
) -> list[str]:
    before = _files(trial.checkout)
    planned, problems = trial.run(ask)
    if isinstance(planned, Failed):
        return [*problems, f"its {what} failed: {planned.message}"]
    again, _ = trial.run(ask)
    if again != planned:
        problems.append(f"its {what} gives another change when it is asked again")
    if _files(trial.checkout) != before:
        problems.append(f"its {what} changes files of the checkout")
    if Capability.DIGEST not in driver.capabilities(unit.spec):
        return problems
    answer, _ = trial.run(act, approved_digest=_NOBODYS)
    if answer != AwaitingApproval(planned.digest):
        problems.append(f"gives {answer!r} where another change was approved, and not the digest of its {what}")
    elif _files(trial.checkout) != before:
        problems.append(f"changes files of the checkout although its {what} was not approved")
    return problems


def _files(folder: Path) -> dict[str, str]:
    return {
        str(each.relative_to(folder)): hashlib.sha256(each.read_bytes()).hexdigest()
        for each in sorted(folder.rglob("*"))
        if each.is_file()
    }
