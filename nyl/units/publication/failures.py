"""Failures of publications: none had any effect on the branch, and all may be tried again."""

from collections.abc import Callable

from nyl.core.diagnostics import Diagnostic, NylError
from nyl.units.outcomes import Failed, FailureCategory

NO_PROJECT = Failed(FailureCategory.DRIVER_ERROR, False, "a KubernetesPublication needs the project it belongs to")
"""The outcome where the driver was not told of the project."""


def failed(message: str) -> Failed:
    """A failure that a later run may get over."""
    return Failed(FailureCategory.EXECUTION, True, message)


def failed_by(error: NylError) -> Failed:
    """The same, with everything that an error tells."""
    return failed(told_by(error))


def told_by(error: NylError, fix_of: Callable[[Diagnostic], str] = lambda each: each.fix) -> str:
    """Everything that an error tells, as the reason of an outcome, with fixes that fit what was done."""
    return "; ".join(f"{each.message.rstrip('.')} ({each.code.value}): {fix_of(each)}" for each in error.diagnostics)
