"""The inputs of the Action, read from the variables NYL_ACTION_* by which action.yml hands them over.

Follows the section The Action of the GitHub page: no input is ever pasted into a script.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import StrEnum
from typing import TypeVar

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError, Problems
from nyl.github.marker import LONGEST_KEY

PREFIX = "NYL_ACTION_"

_Value = TypeVar("_Value")
_Default = TypeVar("_Default")


class Operation(StrEnum):
    """The commands that the Action carries out."""

    PLAN = "plan"
    RECONCILE = "reconcile"
    VERIFY = "verify"
    STATUS = "status"
    VALIDATE = "validate"
    TEARDOWN = "teardown"


class CommentMode(StrEnum):
    """Where the report is posted as a comment."""

    AUTO = "auto"
    """On the pull request of the event, where the token may write."""
    ALWAYS = "always"
    """Also on the pull request that a pushed commit came from; where it cannot be posted, that is an error."""
    NEVER = "never"


@dataclass(frozen=True)
class ActionInputs:
    """What a step asks for."""

    operation: Operation
    environments: tuple[str, ...] = ()
    selectors: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    working_directory: str = "."
    comment: CommentMode = CommentMode.AUTO
    comment_key: str = ""
    approve: tuple[str, ...] = ()
    allow_teardown: bool = False
    summary: bool = True
    fail_on_waiting: bool | None = None
    token: str = field(default="", repr=False)


def action_inputs(environ: Mapping[str, str]) -> ActionInputs:
    """The inputs that the variables hold. Raises NYL-ACTION-INPUT for each that is not valid, together."""
    reader = _Reader(environ, Problems())
    inputs = ActionInputs(
        operation=reader.value("command", Operation, Operation.PLAN, _choices(Operation)),
        environments=reader.words("environment"),
        selectors=tuple(reader.text("selector").split()),
        groups=reader.words("group"),
        arguments=reader.lines("args"),
        working_directory=reader.text("working-directory") or ".",
        comment=reader.value("comment", CommentMode, CommentMode.AUTO, _choices(CommentMode)),
        comment_key=reader.text("comment-key"),
        approve=tuple(reader.text("approve").split()),
        allow_teardown=reader.flag("allow-teardown", False),
        summary=reader.flag("summary", True),
        fail_on_waiting=reader.flag("fail-on-waiting", None),
        token=reader.text("github-token"),
    )
    _check(inputs, reader.problems)
    reader.problems.raise_any()
    return inputs


@dataclass(frozen=True)
class _Reader:
    environ: Mapping[str, str]
    problems: Problems

    def text(self, name: str) -> str:
        return self.environ.get(PREFIX + name.upper().replace("-", "_"), "").strip()

    def words(self, name: str) -> tuple[str, ...]:
        """Names that blanks, line ends or commas separate."""
        return tuple(dict.fromkeys(self.text(name).replace(",", " ").split()))

    def lines(self, name: str) -> tuple[str, ...]:
        return tuple(line.strip() for line in self.text(name).splitlines() if line.strip())

    def flag(self, name: str, default: _Default) -> bool | _Default:
        return self.value(name, lambda text: {"true": True, "false": False}[text.lower()], default, "true or false")

    def value(self, name: str, parse: Callable[[str], _Value], default: _Default, expected: str) -> _Value | _Default:
        text = self.text(name)
        if not text:
            return default
        try:
            return parse(text)
        except (KeyError, ValueError):
            self.problems.add(_invalid(f"The input {name} is {text!r}.", f"give {expected}"))
            return default


def _check(inputs: ActionInputs, problems: Problems) -> None:
    """Adds what does not go together: nothing that was asked for is left out in silence."""
    operation = inputs.operation
    if inputs.allow_teardown and operation is not Operation.RECONCILE:
        problems.add(_misplaced("allow-teardown", operation, Operation.RECONCILE.value))
    if inputs.approve and operation not in (Operation.RECONCILE, Operation.TEARDOWN):
        problems.add(_misplaced("approve", operation, "reconcile and teardown"))
    if operation is Operation.TEARDOWN and (len(inputs.environments) != 1 or inputs.selectors or inputs.groups):
        problems.add(
            _invalid("The command teardown takes exactly one environment.", "name it in the input environment, alone")
        )
    if len(inputs.comment_key) > LONGEST_KEY:
        message = (
            f"The input comment-key has {len(inputs.comment_key)} characters, and at most {LONGEST_KEY} are taken."
        )
        problems.add(_invalid(message, "shorten it; it only has to tell the comments of one pull request apart"))


def _misplaced(name: str, operation: Operation, owners: str) -> NylError:
    return _invalid(
        f"The input {name} does nothing for the command {operation.value}.",
        f"remove it; it belongs to {owners}",
    )


def _invalid(message: str, fix: str) -> NylError:
    return NylError(Code.ACTION_INPUT, message, fix)


def _choices(choices: type[StrEnum]) -> str:
    return f"one of {', '.join(each.value for each in choices)}"
