"""What a Command would change: what its plan step prints, or what its teardown step would be told to remove."""

import json
import shlex
from collections.abc import Callable, Sequence
from datetime import timedelta

from nyl.core.canonical import digest, digest_bytes
from nyl.core.diagnostics import NylError
from nyl.core.tool_result import ToolResult
from nyl.units.driver import ExecutionContext, ReceiptFacts, ResolvedUnit
from nyl.units.outcomes import AwaitingApproval, Failed, FailureCategory, Planned, PlanOutcome
from nyl.units.steps import interrupted, prepare_step

_MOST_PRINTED = 1024 * 1024
"""Bytes that a plan step may print."""


def plan_step(argv: Sequence[str], unit: ResolvedUnit, context: ExecutionContext) -> PlanOutcome:
    """Runs a plan step. The change is what it prints on stdout, and the digest that of the change as it is shown.

    It gets what the command gets and no receipt, so that planning again before the execution gives the same.
    """
    files = prepare_step(context.temporary, unit.spec.get("values", {}))
    result = context.run(argv, variables=files.variables(unit.environment, unit.name), capture_stdout=True)
    problem = _problem(argv[0], result, unit.timeout)
    if problem is not None:
        return problem
    text = context.readable(result.stdout)
    return Planned(text, digest_bytes(text.encode()))


def plan_removal(argv: Sequence[str], unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> Planned:
    """What a teardown step would be run for: the incarnation that is recorded, with the outputs of its receipt.

    The same removal has the same digest on any machine, and that of another incarnation, or with the files of another
    commit, has another one.
    """
    address = f"{unit.environment}/{unit.name}"
    known = {"incarnation": receipt.uid, "files of": context.revision}
    told = [f"{what}: {value}" for what, value in known.items() if value]
    outputs = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in sorted(receipt.outputs.items())]
    lines = [f"run {shlex.join(argv)} to remove {address}", *(f"  {each}" for each in (*told, *outputs))]
    facts = {"unit": address, "teardown": list(argv), "spec": unit.spec, "outputs": receipt.outputs, **known}
    return Planned("\n".join([*lines, ""]), digest(facts))


def unless_approved(context: ExecutionContext, plan: Callable[[], PlanOutcome]) -> Failed | AwaitingApproval | None:
    """What keeps a unit from having effects: a change that is not the approved one, or that cannot be planned.

    None where nothing does, such as where no change in particular was approved; nothing is planned then. What planning
    left in the checkout is gone afterwards, so that the unit finds what it finds without it.
    """
    if context.approved_digest is None:
        return None
    planned = plan()
    if isinstance(planned, Failed):
        return planned
    if planned.digest != context.approved_digest:
        return AwaitingApproval(planned.digest)
    try:
        context.start_over()
    except (NylError, OSError) as error:
        return Failed(FailureCategory.START, True, f"what its plan left could not be removed: {error}")
    return None


def _problem(program: str, result: ToolResult, timeout: timedelta) -> Failed | None:
    failed = interrupted(program, result, timeout)
    if failed is not None:
        return failed
    if result.exit_code != 0:
        return Failed(FailureCategory.EXECUTION, True, f"{program} ended with exit code {result.exit_code}")
    if len(result.stdout) > _MOST_PRINTED:
        return Failed(FailureCategory.EXECUTION, True, f"{program} printed more than 1 MiB")
    return None
