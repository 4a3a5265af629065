"""nyl.toml: the settings of a project."""

from collections.abc import Mapping
from dataclasses import field
from datetime import timedelta
from enum import StrEnum
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.project import config_reader as read
from nyl.project.config_reader import Reader

FILE_NAME = "nyl.toml"
_SECTIONS = ("project", "orchestration", "secrets", "approval", "hooks", "cache", "vendor", "units")


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


class VendorMode(StrEnum):
    """Whether what comes from elsewhere is rendered from the vendor folder."""

    DISABLED = "disabled"
    PREFERRED = "preferred"
    REQUIRED = "required"


@dataclass(frozen=True)
class VendorConfig:
    """[vendor]: what is kept of what comes from elsewhere, and where."""

    mode: VendorMode = VendorMode.DISABLED
    path: str = "vendor"
    """Folder relative to the project's, without a slash at its end."""


@dataclass(frozen=True)
class ProjectSection:
    """[project]: where charts and components are looked up, and the project was. Paths follow the local path rule."""

    components_search_paths: tuple[str, ...] = ("components",)
    helm_chart_search_paths: tuple[str, ...] = ("charts",)
    aliases: Mapping[str, str] = field(default_factory=dict)
    """`<apiVersion>/<Kind>` of objects -> kind of the Component that they stand for."""
    previous_paths: tuple[str, ...] = ()
    """Folders that the project was in before, for commits that have none where it is now."""


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
    project: ProjectSection = ProjectSection()
    vendor: VendorConfig = VendorConfig()
    file: str = FILE_NAME
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)
    """Line of each section and key of `unit_defaults`, as `Kind` and `Kind.key`."""


def load_config(data: bytes | None, file: str = FILE_NAME) -> ProjectConfig:
    """The settings that nyl.toml holds; the defaults for None. Raises every problem of the file together."""
    text = read.decode(data or b"", file)
    table = read.parse(text, file)
    reader = Reader(text, file)
    reader.only(table, "", _SECTIONS)
    orchestration = _orchestration(reader, reader.section(table, "orchestration"))
    secrets = _secrets(reader, reader.section(table, "secrets"))
    approval = _approval(reader, reader.section(table, "approval"))
    hooks = _hooks(reader, reader.section(table, "hooks"))
    cache_dir = _cache_dir(reader, reader.section(table, "cache"))
    defaults = _unit_defaults(reader, reader.section(table, "units"))
    project = _project(reader, reader.section(table, "project"))
    vendor = _vendor(reader, reader.section(table, "vendor"))
    reader.problems.raise_any()
    return ProjectConfig(
        orchestration=orchestration,
        secrets=secrets,
        cache_dir=cache_dir,
        unit_defaults=defaults,
        hooks=hooks,
        approval=approval,
        project=project,
        vendor=vendor,
        file=file,
        lines=_lines(text, defaults),
    )


def _orchestration(reader: Reader, table: Mapping[str, Any]) -> Orchestration:
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
            read.concurrency,
            f"a whole number from 1 to {read.MAX_CONCURRENCY}",
        ),
        reader.take(table, section, "lease_grace", known.lease_grace, read.duration, duration),
        reader.take(table, section, "resolution_timeout", known.resolution_timeout, read.duration, duration),
    )


def _secrets(reader: Reader, table: Mapping[str, Any]) -> SecretsConfig:
    section = "secrets"
    reader.only(table, section, ("provider", "file", "command"))
    kinds = ", ".join(kind.value for kind in SecretsProviderKind)
    provider = reader.take(table, section, "provider", SecretsProviderKind.ENV, SecretsProviderKind, f"one of {kinds}")
    file = reader.take(table, section, "file", None, read.text, "a path")
    command = reader.take(table, section, "command", (), read.argv, "a list of a program and its arguments")
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


def _approval(reader: Reader, table: Mapping[str, Any]) -> ApprovalConfig:
    section = "approval"
    reader.only(table, section, ("lookup",))
    return ApprovalConfig(reader.take(table, section, "lookup", (), read.argv, "a list of a program and its arguments"))


def _hooks(reader: Reader, table: Mapping[str, Any]) -> Hooks:
    section = "hooks"
    reader.only(table, section, ("plan", "block_on_leaving"))
    return Hooks(
        reader.take(table, section, "plan", (), read.names, "a list of names of environments"),
        reader.take(table, section, "block_on_leaving", False, read.boolean, "true or false"),
    )


def _cache_dir(reader: Reader, table: Mapping[str, Any]) -> str:
    reader.only(table, "cache", ("dir",))
    directory = reader.take(table, "cache", "dir", ".nyl", read.text, "a folder other than the project's own")
    return str(directory)


def _unit_defaults(reader: Reader, table: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    for kind, fields in table.items():
        if not isinstance(fields, dict):
            reader.reject("units", kind, f"`{kind}` of [units] is not a section.", f"write it as `[units.{kind}]`")
    return {kind: fields for kind, fields in table.items() if isinstance(fields, dict)}


def _project(reader: Reader, table: Mapping[str, Any]) -> ProjectSection:
    section = "project"
    reader.only(table, section, ("components_search_paths", "helm_chart_search_paths", "aliases", "previous_paths"))
    known = ProjectSection()
    paths = "a list of paths"
    return ProjectSection(
        reader.take(table, section, "components_search_paths", known.components_search_paths, read.local_paths, paths),
        reader.take(table, section, "helm_chart_search_paths", known.helm_chart_search_paths, read.local_paths, paths),
        reader.take(table, section, "aliases", {}, read.aliases, "a table of `<apiVersion>/<Kind>` to component kinds"),
        reader.take(table, section, "previous_paths", known.previous_paths, read.any_local_paths, paths),
    )


def _vendor(reader: Reader, table: Mapping[str, Any]) -> VendorConfig:
    section = "vendor"
    reader.only(table, section, ("mode", "path"))
    known, modes = VendorConfig(), ", ".join(VendorMode)
    return VendorConfig(
        reader.take(table, section, "mode", known.mode, VendorMode, f"one of {modes}"),
        reader.take(table, section, "path", known.path, read.inner_folder, "a folder below the project's own"),
    )


def _lines(text: str, defaults: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    sections = {kind: read.line_of_key(text, f"units.{kind}", "") for kind in defaults}
    keys = {
        f"{kind}.{key}": read.line_of_key(text, f"units.{kind}", key) for kind in defaults for key in defaults[kind]
    }
    return {**sections, **keys}
