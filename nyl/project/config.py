"""nyl.toml: the settings of a project."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError, Problems
from nyl.core.suggestions import suggest
from nyl.core.texts import text_problem

FILE_NAME = "nyl.toml"
_MAX_CONCURRENCY = 256


class SecretsProviderKind(StrEnum):
    """Where secrets come from."""

    ENV = "env"
    FILE = "file"
    SOPS = "sops"
    COMMAND = "command"


@dataclass(frozen=True)
class Orchestration:
    """[orchestration]: how runs work."""

    concurrency: int = 4
    lease_grace: timedelta = timedelta(minutes=10)
    resolution_timeout: timedelta = timedelta(minutes=30)


@dataclass(frozen=True)
class SecretsConfig:
    """[secrets]: the provider, with the file of `file` and `sops`, or the argv of `command`."""

    provider: SecretsProviderKind = SecretsProviderKind.ENV
    file: str | None = None
    command: tuple[str, ...] = ()


@dataclass(frozen=True)
class ApprovalConfig:
    """[approval]: the argv of the program that tells in CI who approved; empty without one."""

    lookup: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hooks:
    """[hooks]: what the pre-push hook does beside its checks."""

    plan: tuple[str, ...] = ()
    """Environments whose plans it prints."""
    block_on_leaving: bool = False
    """Whether a push is refused with which units of these environments would leave."""


@dataclass(frozen=True)
class ProjectConfig:
    """The settings of a project."""

    orchestration: Orchestration = Orchestration()
    secrets: SecretsConfig = SecretsConfig()
    cache_dir: str = ".nyl"
    """Folder of the cache, relative to the project's folder unless absolute, without a slash at its end."""
    unit_defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Kind -> spec fields that its units have where they do not say otherwise."""
    hooks: Hooks = Hooks()
    approval: ApprovalConfig = ApprovalConfig()
    file: str = FILE_NAME
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)
    """Line of each section and key of `unit_defaults`, as `Kind` and `Kind.key`."""


def load_config(data: bytes | None, file: str = FILE_NAME) -> ProjectConfig:
    """The settings that nyl.toml holds; the defaults for None. Raises every problem of the file together."""
    text = _decode(data or b"", file)
    table = _parse(text, file)
    reader = _Reader(text, file)
    reader.only(table, "", ("orchestration", "secrets", "approval", "hooks", "cache", "units"))
    orchestration = _orchestration(reader, reader.section(table, "orchestration"))
    secrets = _secrets(reader, reader.section(table, "secrets"))
    approval = _approval(reader, reader.section(table, "approval"))
    hooks = _hooks(reader, reader.section(table, "hooks"))
    cache_dir = _cache_dir(reader, reader.section(table, "cache"))
    defaults = _unit_defaults(reader, reader.section(table, "units"))
    reader.problems.raise_any()
    return ProjectConfig(orchestration, secrets, cache_dir, defaults, hooks, approval, file, _lines(text, defaults))


def _line_of_key(text: str, section: str, key: str) -> int:
    """The line of a key, or of its section's header; 1 when neither can be found."""
    lines = text.splitlines()
    header = re.compile(rf"\s*\[\s*{re.escape(section)}\s*\]")
    start = next((at for at, line in enumerate(lines) if header.match(line)), None) if section else 0
    wanted = re.compile(rf"""\s*\[?\s*(?:{re.escape(section)}\.)?["']?{re.escape(key)}["']?\s*[=.\]]""")
    candidates = range(start or 0, len(lines))
    found = next((at for at in candidates if key and wanted.match(lines[at])), start)
    return (found or 0) + 1


class _Reader:
    """Takes typed values from the tables of one file and collects what is wrong with them."""

    def __init__(self, text: str, file: str) -> None:
        self._text = text
        self._file = file
        self.problems = Problems()

    def reject(self, section: str, key: str, message: str, fix: str) -> None:
        location = Location(self._file, _line_of_key(self._text, section, key))
        self.problems.add(NylError(Code.CONFIG_INVALID, f"{location}: {message}", fix, location=location))

    def only(self, table: Mapping[str, Any], section: str, known: tuple[str, ...]) -> None:
        place = f"[{section}]" if section else "the file"
        what = "key" if section else "section"
        for key in table:
            if key not in known:
                self.reject(section, key, f"{what} `{key}` of {place} is not known.", suggest(key, known, what))

    def section(self, table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        value = table.get(name, {})
        if isinstance(value, dict):
            return value
        self.reject("", name, f"`{name}` is not a section.", f"write it as `[{name}]`, with its keys below")
        return {}

    def take(
        self, table: Mapping[str, Any], section: str, key: str, default: Any, read: Callable[[Any], Any], shape: str
    ) -> Any:
        if key not in table:
            return default
        try:
            return read(table[key])
        except (ValueError, TypeError):
            self.reject(
                section, key, f"`{key}` of [{section}] is {table[key]!r}, which is not {shape}.", f"give {shape}"
            )
            return default


def _orchestration(reader: _Reader, table: Mapping[str, Any]) -> Orchestration:
    section = "orchestration"
    reader.only(table, section, ("concurrency", "lease_grace", "resolution_timeout"))
    known = Orchestration()
    duration = "a duration such as `10m` or `1h30m`"
    return Orchestration(
        reader.take(
            table,
            section,
            "concurrency",
            known.concurrency,
            _concurrency,
            f"a whole number from 1 to {_MAX_CONCURRENCY}",
        ),
        reader.take(table, section, "lease_grace", known.lease_grace, _duration, duration),
        reader.take(table, section, "resolution_timeout", known.resolution_timeout, _duration, duration),
    )


def _secrets(reader: _Reader, table: Mapping[str, Any]) -> SecretsConfig:
    section = "secrets"
    reader.only(table, section, ("provider", "file", "command"))
    kinds = ", ".join(kind.value for kind in SecretsProviderKind)
    provider = reader.take(table, section, "provider", SecretsProviderKind.ENV, SecretsProviderKind, f"one of {kinds}")
    file = reader.take(table, section, "file", None, _text, "a path")
    command = reader.take(table, section, "command", (), _argv, "a list of a program and its arguments")
    needs = {
        SecretsProviderKind.FILE: ("file", file),
        SecretsProviderKind.SOPS: ("file", file),
        SecretsProviderKind.COMMAND: ("command", command),
    }.get(provider)
    if needs and not needs[1] and needs[0] not in table:
        reader.reject(
            section,
            "provider",
            f"the secrets provider `{provider}` needs `{needs[0]}`.",
            f"add `{needs[0]} = …` below [secrets]",
        )
    return SecretsConfig(provider, file, command)


def _approval(reader: _Reader, table: Mapping[str, Any]) -> ApprovalConfig:
    section = "approval"
    reader.only(table, section, ("lookup",))
    return ApprovalConfig(reader.take(table, section, "lookup", (), _argv, "a list of a program and its arguments"))


def _hooks(reader: _Reader, table: Mapping[str, Any]) -> Hooks:
    section = "hooks"
    reader.only(table, section, ("plan", "block_on_leaving"))
    return Hooks(
        reader.take(table, section, "plan", (), _names, "a list of names of environments"),
        reader.take(table, section, "block_on_leaving", False, _boolean, "true or false"),
    )


def _cache_dir(reader: _Reader, table: Mapping[str, Any]) -> str:
    reader.only(table, "cache", ("dir",))
    directory = reader.take(table, "cache", "dir", ".nyl", _text, "a folder other than the project's own")
    return str(directory)


def _unit_defaults(reader: _Reader, table: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    for kind, fields in table.items():
        if not isinstance(fields, dict):
            reader.reject("units", kind, f"`{kind}` of [units] is not a section.", f"write it as `[units.{kind}]`")
    return {kind: fields for kind, fields in table.items() if isinstance(fields, dict)}


def _lines(text: str, defaults: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    sections = {kind: _line_of_key(text, f"units.{kind}", "") for kind in defaults}
    keys = {f"{kind}.{key}": _line_of_key(text, f"units.{kind}", key) for kind in defaults for key in defaults[kind]}
    return {**sections, **keys}


def _concurrency(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MAX_CONCURRENCY:
        raise ValueError(value)
    return value


def _duration(value: Any) -> timedelta:
    from nyl.core.durations import parse_duration

    return parse_duration(_text(value))


def _text(value: Any) -> str:
    if not isinstance(value, str) or not (text := value.rstrip("/")) or "\0" in text or text == ".":
        raise ValueError(value)
    return text.removeprefix("./")


def _argv(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(each, str) and each for each in value):
        raise ValueError(value)
    return tuple(value)


def _names(value: Any) -> tuple[str, ...]:
    return _argv(value) if value else ()


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(value)
    return value


def _decode(data: bytes, file: str) -> str:
    problem = text_problem(data)
    if problem is not None:
        raise NylError(
            Code.CONFIG_INVALID,
            f"{file}:{problem.line}: the file cannot be read as text: {problem.reason}.",
            f"save {file} as UTF-8",
            location=Location(file, problem.line),
        )
    return data.decode("utf-8-sig")


def _parse(text: str, file: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = re.search(r"line (\d+)", str(error))
        line = int(found.group(1)) if found else text.count("\n") + 1
        raise NylError(
            Code.CONFIG_INVALID,
            f"{file}:{line}: the file is not TOML: {str(error) or 'it is nested too deeply'}.",
            "correct the line; https://toml.io describes the format",
            location=Location(file, line),
        ) from None
