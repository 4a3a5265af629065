"""Checking the [units.<Kind>] sections of nyl.toml against the installed kinds."""

from collections.abc import Collection

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError, Problems
from nyl.core.suggestions import suggest
from nyl.project.config import ProjectConfig
from nyl.project.records import UNITS
from nyl.project.schema_catalog import spec_schema
from nyl.project.units import UnitKind, UnitKinds


def check_defaults(
    config: ProjectConfig, kinds: UnitKinds, used: Collection[tuple[str, str]], problems: Problems
) -> None:
    """Adds a problem for every section of a kind that is not installed and every field that its kind does not have.

    `used` are the API versions and kinds of the project's units; values are checked with the units they apply to.
    """
    for name, fields in config.unit_defaults.items():
        found = _find(name, kinds, used)
        if not found:
            known = [each for group in kinds.groups() for each in kinds.names(group)]
            message = f"[units.{name}] is for a kind that is not installed"
            problems.add(_problem(config, name, message, suggest(name, known, "kind")))
            continue
        properties = {key for kind in found for key in spec_schema(kind)["properties"]}
        for field in sorted(set(fields) - properties):
            message = f"{name} has no field `{field}` for [units.{name}] to give"
            problems.add(_problem(config, f"{name}.{field}", message, suggest(field, properties, "field")))


def _find(name: str, kinds: UnitKinds, used: Collection[tuple[str, str]]) -> list[UnitKind]:
    groups = [UNITS, *(group for group, kind in used if kind == name and group != UNITS)]
    found = [kind for group in groups if (kind := kinds.find(group, name)) is not None]
    return found or [kind for group in sorted(kinds.groups()) if (kind := kinds.find(group, name)) is not None]


def _problem(config: ProjectConfig, key: str, message: str, fix: str) -> NylError:
    place = Location(config.file, config.lines.get(key, 0))
    return NylError(Code.CONFIG_INVALID, f"{place}: {message}.", fix, location=place)
