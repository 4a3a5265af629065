"""Fingerprints: programs whose output decides whether a unit must run again."""

import time
from collections import deque
from collections.abc import Sequence
from datetime import timedelta

from nyl.core.canonical import digest_bytes
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.durations import format_duration
from nyl.core.tool_result import ToolResult
from nyl.units.context import UnitContext
from nyl.units.driver import ResolvedUnit
from nyl.units.steps import prepare_step

_TIME_LIMIT = timedelta(seconds=30)
"""How long a fingerprint may take."""

_LINES_SHOWN = 5


def fingerprint(
    argv: Sequence[str], unit: ResolvedUnit, context: UnitContext, *, limit: timedelta = _TIME_LIMIT
) -> str:
    """Digest of what a fingerprint program prints on stdout.

    The context must hold no secrets; its deadline and sink are not used. Raises NylError(FINGERPRINT_FAILED) when the
    program does not end with exit code 0 in time, with the last lines it wrote to stderr; NylError(RUN_CANCELLED).
    """
    tail: deque[str] = deque(maxlen=_LINES_SHOWN)
    context.deadline = time.monotonic() + limit.total_seconds()
    context.sink = tail.append
    files = prepare_step(context.temporary, unit.spec.get("values", {}))
    result = context.run(argv, variables=files.variables(unit.environment, unit.name), capture_stdout=True)
    if result.cancelled:
        raise NylError(
            Code.RUN_CANCELLED,
            "the run was cancelled before its fingerprint was known",
            "run the command again",
            environment=unit.environment,
            unit=unit.name,
        )
    problem = _problem(result, limit)
    if problem is None:
        return digest_bytes(result.stdout)
    said = f" It said: {' / '.join(tail)}" if tail else ""
    raise NylError(
        Code.FINGERPRINT_FAILED,
        f"The fingerprint {argv[0]} of unit {unit.name} {problem}.{said}",
        f"run {argv[0]} by hand in the project's folder, and make it print quickly and end with exit code 0",
        environment=unit.environment,
        unit=unit.name,
    )


def _problem(result: ToolResult, limit: timedelta) -> str | None:
    if result.start_error is not None:
        return f"could not be started: {result.start_error}"
    if result.timed_out:
        return f"took longer than {format_duration(limit)}"
    if result.exit_code is None:
        return "was killed"
    if result.exit_code != 0:
        return f"ended with exit code {result.exit_code}"
    if result.truncated:
        return "printed more than 64 MiB"
    return None
