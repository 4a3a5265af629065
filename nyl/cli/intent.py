"""What a command line means even where it cannot be parsed: which report it asks for, and in which form."""

from collections.abc import Iterable, Sequence

from nyl.engine.results import ReportKind

_KINDS = {
    "plan": ReportKind.PLAN,
    "reconcile": ReportKind.RECONCILE,
    "status": ReportKind.STATUS,
    "teardown": ReportKind.TEARDOWN,
    "validate": ReportKind.VALIDATE,
    "verify": ReportKind.VERIFY,
}
_GROUPS = ("get", "lease", "state", "create", "delete", "update", "hooks", "comment", "action")


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether `-o json` stands on the command line, in any of the ways it can be written."""
    return any(
        first in ("-ojson", "-o=json", "--output=json") or (first in ("-o", "--output") and second == "json")
        for first, second in _pairs(arguments)
    )


def named_reports(arguments: Sequence[str]) -> tuple[str, ...]:
    """The values of `--report` on the command line, in either of the ways it can be written."""
    joined = "--report="
    return tuple(
        second if first == "--report" else first.removeprefix(joined)
        for first, second in _pairs(arguments)
        if first == "--report" or first.startswith(joined)
    )


def _pairs(arguments: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Each word before `--`, with the one behind it."""
    before_end = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    return zip(before_end, [*before_end[1:], ""], strict=True)


def report_kind(arguments: Sequence[str]) -> ReportKind:
    """The kind of report that the named command gives."""
    return _KINDS.get(next(iter(arguments), ""), ReportKind.OPERATION)


def operation_name(arguments: Sequence[str]) -> str:
    """The command's name, such as `state-init`; '' when none is named."""
    words = [each for each in arguments[:2] if not each.startswith("-")]
    return "-".join(words if words and words[0] in _GROUPS else words[:1])
