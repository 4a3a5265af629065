"""What holds an environment, as text: one line for the lease and for each run, evidence ref and break."""

from collections.abc import Mapping
from typing import Any

from nyl.engine.results import Report
from nyl.report.plaintext import one_line
from nyl.report.text import report_text


def lease_text(report: Report) -> str:
    """The lease, or that there is none; then what runs left. The report of a failure as any other."""
    if "runs" not in report.details:
        return report_text(report)
    environment, details = report.environments[0].environment, report.details
    lines = [_lease_line(environment, details["lease"])]
    lines += [f"run {each['run']}: {_run_words(each)}" for each in details["runs"]]
    lines += [f"evidence of run {run}" for run in details["evidence"]]
    lines += [
        f"run {each['run']} was broken by {each['by']} at {each['at']}: {each['reason']}" for each in details["breaks"]
    ]
    return "".join(f"{one_line(each)}\n" for each in lines)


def _lease_line(environment: str, lease: Mapping[str, Any] | None) -> str:
    if lease is None:
        return f"nobody holds {environment}"
    who = f"run {lease['run']} ({lease['operation']}) by {lease['runner']}"
    if lease["state"] == "held":
        return f"{environment} is held by {who}, until {lease['deadline']}"
    return f"the lease of {environment} is {lease['state']}; its last holder was {who}"


def _run_words(run: Mapping[str, Any]) -> str:
    busy = f", executing {', '.join(run['executing'])}" if run["executing"] else ""
    kept = f", checkpointed {', '.join(run['checkpoints'])}" if run["checkpoints"] else ""
    return f"{run['state']} until {run['deadline']}{busy}{kept}"
