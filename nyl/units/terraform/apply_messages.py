"""What an apply prints for programs: shown as the tool would say it to people, with the outputs at its end.

An apply that tells them saves another start of the tool, which for a state far away is another journey too.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from nyl.core.strict_json import finite, no_constant

_SAID_BEFORE = ("version", "planned_change")
"""Kinds of messages that repeat what was to be read with the plan."""


class ApplyMessages:
    """Reads the messages of one apply as they come."""

    def __init__(self) -> None:
        self._outputs: Mapping[str, Any] = {}

    @property
    def outputs(self) -> Mapping[str, Any]:
        """The values of the module's outputs after the apply, without sensitive ones, which it does not tell."""
        return self._outputs

    def text(self, line: bytes) -> str | None:
        """What a line of the tool's says to people; None where that was said before. Raises where it is no message."""
        message = json.loads(line, parse_float=finite, parse_constant=no_constant)
        kind = message.get("type")
        if kind == "outputs":
            outputs = message["outputs"]
            self._outputs = {name: each["value"] for name, each in outputs.items() if _is_open(each)}
            return "\n".join(["", "Outputs:", "", *_output_lines(outputs)])
        if kind == "diagnostic":
            return "\n".join(_diagnostic_lines(message["diagnostic"]))
        if "state" in message:  # nowhere else is it kept by now
            return f"{message['@message']}\n{_json(message['state'])}"
        return None if kind in _SAID_BEFORE else str(message["@message"])


def _is_open(output: Mapping[str, Any]) -> bool:
    return "value" in output and not output.get("sensitive")


def _output_lines(outputs: Mapping[str, Any]) -> Iterator[str]:
    for name, each in sorted(outputs.items()):
        yield f"{name} = {_json(each['value']) if _is_open(each) else '<sensitive>'}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _diagnostic_lines(diagnostic: Mapping[str, Any]) -> Iterator[str]:
    yield from ("", f"{diagnostic['severity'].capitalize()}: {diagnostic['summary']}", "")
    if "address" in diagnostic:
        yield f"  with {diagnostic['address']},"
    if "range" in diagnostic:
        place = f"  on {diagnostic['range']['filename']} line {diagnostic['range']['start']['line']}"
        snippet = diagnostic.get("snippet") or {}
        yield f"{place}, in {snippet['context']}:" if snippet.get("context") else f"{place}:"
        code = snippet.get("code", "").splitlines()
        yield from (f"{number:>4}: {each}" for number, each in enumerate(code, snippet.get("start_line", 1)))
        yield from (f"    {each['traversal']} {each['statement']}" for each in snippet.get("values") or ())
        yield ""
    yield from diagnostic.get("detail", "").splitlines()
