"""Looking whether Applications are gone from the cluster of their Argo CD, with the program kubectl."""

import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nyl.core.tool_result import ToolResult
from nyl.units.execution_context import ExecutionContext
from nyl.units.publication.waiting import Sighting

_RESOURCE = "applications.argoproj.io"
_AT_ONCE = 50
"""Applications that one kubectl asks for: it asks for each by itself, and its command line has to hold their names."""
_ANSWER_WITHIN = "--request-timeout=30s"


def look(context: ExecutionContext, cluster: str | None, applications: Sequence[str]) -> Sighting:
    """Which of some Applications, `<namespace>/<name>`, are still there. `cluster` is a kubeconfig context."""
    if cluster is None:
        return Sighting(problem="the Cluster of its Argo CD has no live.context to look with")
    left: list[str] = []
    for namespace, names in _batches(applications):
        command = _kubectl(cluster, namespace, "get", "-o", "json", "--ignore-not-found", _ANSWER_WITHIN, names=names)
        result = context.run(command, capture_stdout=True)
        problem = _problem(result)
        if problem:
            return Sighting(problem=problem)
        try:
            found = set(_names(result.stdout))
        except ValueError:
            return Sighting(problem="kubectl answered with what is no list of Applications")
        left += [f"{namespace}/{name}" for name in names if name in found]
    return Sighting(tuple(left))


def keep_looking(
    context: ExecutionContext, cluster: str | None, applications: Sequence[str], seconds: float
) -> Sighting:
    """The same once they are gone, or some seconds have passed, or nobody can see any more."""
    until = time.monotonic() + seconds
    seen = look(context, cluster, applications)
    while cluster is not None and seen.left and not seen.problem and (rest := math.ceil(until - time.monotonic())) > 0:
        namespace, _, name = seen.left[0].partition("/")
        waited = context.run(
            _kubectl(cluster, namespace, "wait", "--for=delete", f"--timeout={rest}s", names=[name]),
            capture_stdout=True,
        )
        if context.cancellation.cancelled:
            return seen
        seen = look(context, cluster, applications)
        if waited.exit_code != 0:  # its time is over, or it may not watch: another wait would end in the same way
            return seen
    return seen


def _kubectl(cluster: str, namespace: str, verb: str, *options: str, names: Sequence[str]) -> list[str]:
    resources = [f"{_RESOURCE}/{name}" for name in names]
    return ["kubectl", f"--context={cluster}", f"--namespace={namespace}", verb, *options, "--", *resources]


def _batches(applications: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    by_namespace: dict[str, list[str]] = {}
    for each in applications:
        namespace, _, name = each.partition("/")
        by_namespace.setdefault(namespace, []).append(name)
    for namespace, names in sorted(by_namespace.items()):
        for start in range(0, len(names), _AT_ONCE):
            yield namespace, names[start : start + _AT_ONCE]


def _names(answer: bytes) -> Iterator[str]:
    """The names of the objects that kubectl printed: nothing, one object, or a list. Raises ValueError."""
    if not answer.strip():
        return
    found = json.loads(answer)
    if not isinstance(found, Mapping):
        raise ValueError("it is no object")
    items: Any = found.get("items") if str(found.get("kind", "")).endswith("List") else [found]
    if not isinstance(items, list):
        raise ValueError("its items are no list")
    for each in items:
        metadata = each.get("metadata") if isinstance(each, Mapping) else None
        if not isinstance(metadata, Mapping) or not isinstance(metadata.get("name"), str):
            raise ValueError("an object has no name")
        yield metadata["name"]


def _problem(result: ToolResult) -> str:
    if result.missing:
        return "there is no kubectl on the PATH of the unit"
    if result.start_error is not None:
        return f"kubectl cannot be started: {result.start_error}"
    if result.timed_out or result.cancelled:
        return "the time of the unit was over before kubectl answered" if result.timed_out else "the run was cancelled"
    if result.exit_code != 0:
        told = f": {result.last_line}" if result.last_line else ""
        return f"kubectl ended with {f'exit code {result.exit_code}' if result.signal is None else 'a signal'}{told}"
    return "kubectl printed more than nyl reads" if result.truncated else ""
