"""What a command line means even where it cannot be parsed: which report it asks for, and in which form."""

from collections.abc import Sequence

from nyl.engine.results import ReportKind

_KINDS = {
    "plan": ReportKind.PLAN,
    "reconcile": ReportKind.RECONCILE,
    "status": ReportKind.STATUS,
    "teardown": ReportKind.TEARDOWN,
    "validate": ReportKind.VALIDATE,
    "verify": ReportKind.VERIFY,
}
_GROUPS = ("get", "lease", "state", "create", "delete", "update", "hooks")


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether `-o json` stands on the command line, in any of the ways it can be written."""
    before_end = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    pairs = zip(before_end, [*before_end[1:], ""], strict=True)
    return any(
        first in ("-ojson", "-o=json", "--output=json") or (first in ("-o", "--output") and second == "json")
        for first, second in pairs
    )


def report_kind(arguments: Sequence[str]) -> ReportKind:
    """The kind of report that the named command gives."""
    return _KINDS.get(next(iter(arguments), ""), ReportKind.OPERATION)


def operation_name(arguments: Sequence[str]) -> str:
    """The command's name, such as `state-init`; '' when none is named."""
    words = [each for each in arguments[:2] if not each.startswith("-")]
    return "-".join(words if words and words[0] in _GROUPS else words[:1])
