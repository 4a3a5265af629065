"""What the runner of GitHub Actions makes of a step's log: which lines are commands, and which mere text.

Conforms to the runner's own parser: a V2 command `::name key=value::data` starts a line, behind blanks; a V1 command
`##[name key=value;]data` stands anywhere in one; only names it knows count; `stop-commands` turns all of it off until
its token comes, in either form.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

KNOWN = frozenset(
    {
        "add-mask", "add-matcher", "add-path", "debug", "echo", "endgroup", "error", "group", "notice",
        "remove-matcher", "save-state", "set-env", "set-output", "stop-commands", "warning",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Command:
    """A command as the runner reads it."""

    name: str
    properties: dict[str, str] = field(default_factory=dict)
    data: str = ""


@dataclass
class Group:
    """A folded part of the log."""

    title: str
    lines: list[str] = field(default_factory=list)


@dataclass
class Processed:
    """A log after the runner read it."""

    commands: list[Command] = field(default_factory=list)
    """Those that it acted on, in order, but for `stop-commands` and tokens."""
    text: list[str] = field(default_factory=list)
    """Lines that stayed text."""
    groups: list[Group] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    """Lines of text in no group."""
    stopped: bool = False
    """Whether commands were still off at the end."""
    is_open: bool = False
    """Whether a group was still open at the end."""

    def annotations(self, severity: str) -> list[Command]:
        """The annotations of a severity: error, warning or notice."""
        return [each for each in self.commands if each.name == severity]


def process(lines: Iterable[str]) -> Processed:
    """Reads a log as the runner does."""
    log = Processed()
    token: str | None = None
    for line in lines:
        command = parse(line, KNOWN | ({token} if token else set()))
        if command is None or (token is not None and command.name.lower() != token.lower()):
            _keep(log, line)
        elif token is not None:
            token = None
        elif command.name.lower() == "stop-commands":
            token = command.data
        else:
            _act(log, command)
    log.stopped = token is not None
    return log


def parse(line: str, known: Iterable[str]) -> Command | None:
    """The command in a line, or None."""
    names = {each.lower() for each in known}
    return _parse_v2(line, names) or _parse_v1(line, names)


def _parse_v2(line: str, names: set[str]) -> Command | None:
    told = line.lstrip()
    if not told.startswith("::") or "::" not in told[2:]:
        return None
    head, _, data = told[2:].partition("::")
    name, _, properties = head.partition(" ")
    if name.lower() not in names:
        return None
    escapes = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))
    return Command(name, _pairs(properties.strip(), ",", escapes), _unescaped(data, (*escapes[:2], escapes[4])))


def _parse_v1(line: str, names: set[str]) -> Command | None:
    _, found, rest = line.partition("##[")
    head, end, data = rest.partition("]")
    name, _, properties = head.partition(" ")
    if not found or not end or name.lower() not in names:
        return None
    escapes = (("%3B", ";"), ("%0D", "\r"), ("%0A", "\n"), ("%5D", "]"), ("%25", "%"))
    return Command(name, _pairs(properties, ";", escapes), _unescaped(data, escapes))


def _pairs(text: str, separator: str, escapes: Iterable[tuple[str, str]]) -> dict[str, str]:
    pairs = (each.split("=", 1) for each in text.split(separator) if "=" in each)
    return {key: _unescaped(value, escapes) for key, value in pairs if key and value}


def _unescaped(text: str, escapes: Iterable[tuple[str, str]]) -> str:
    for escaped, char in escapes:
        text = text.replace(escaped, char)
    return text


def _keep(log: Processed, line: str) -> None:
    log.text.append(line)
    (log.groups[-1].lines if log.is_open else log.outside).append(line)


def _act(log: Processed, command: Command) -> None:
    log.commands.append(command)
    match command.name.lower():
        case "group":
            log.groups.append(Group(command.data))
            log.is_open = True
        case "endgroup":
            log.is_open = False
