"""What is told of a run that could not go on to its transition."""

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.runner import RunOutcome


def cancelled_error(environment: str) -> NylError:
    """NYL-RUN-CANCELLED."""
    return NylError(
        Code.RUN_CANCELLED,
        f"The run of {environment} was cancelled; what it finished is kept on its run ref.",
        f"run `nyl reconcile -e {environment}` to take over its results",
        environment=environment,
    )


def unrecorded_error(environment: str, outcome: RunOutcome, trouble: NylError | None) -> NylError | None:
    """Which executions no push could record, because of `trouble`; None when all are recorded."""
    if trouble is None or not outcome.unrecorded:
        return trouble
    ran = ", ".join(f"{name} ({outcome.ended[name].result})" for name in sorted(outcome.unrecorded))
    known = trouble.diagnostic
    return NylError(
        known.code,
        f"{known.message} These units ran and are not recorded: {ran}.",
        f"keep this output, as the next run finds them uncertain; then {known.fix}",
        environment=environment,
    )
