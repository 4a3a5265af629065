#!/usr/bin/env python3
"""Makes the pages of docs/reference from the program: its commands, its resources and its codes.

Without arguments it writes them; with --check it says which are out of date, and exits 1 if any is.
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from nyl.cli.root import root
from nyl.core.codes import Code
from nyl.core.exits import Exit
from nyl.project.records import UNITS
from nyl.project.schema_catalog import bundle_kinds, kubernetes_kinds, resource_kinds, schema_of
from nyl.units.registry import DriverRegistry

FOLDER = Path(__file__).parent.parent / "docs" / "reference"
NOTICE = "<!-- Made by scripts/reference.py; edit the program, then run it. -->\n\n"

_EXITS = {
    Exit.OK: "0 (a warning)",
    Exit.ERROR: "1",
    Exit.WAITING: "2",
    Exit.FAILED: "3",
    Exit.UNCERTAIN: "4",
}


def pages() -> dict[str, str]:
    """File name -> text of every generated page."""
    return {
        "commands.md": NOTICE + "# Commands\n\n" + "\n".join(_commands(root, "nyl", None)),
        "resources.md": NOTICE + "# Resources\n\n" + _RESOURCES_TEXT + "\n".join(_resources()),
        "codes.md": NOTICE + "# Codes\n\n" + _CODES_TEXT + "\n".join(_codes()) + "\n",
    }


def outdated() -> list[str]:
    """The names of committed pages that differ from what the program says now."""
    return [name for name, text in pages().items() if _read(FOLDER / name) != text]


def _read(path: Path) -> str | None:
    return path.read_text("utf-8") if path.exists() else None


def _commands(command: click.Command, name: str, parent: click.Context | None) -> Iterator[str]:
    context = click.Context(command, info_name=name.rsplit(" ", 1)[-1], parent=parent)
    if parent is not None:
        yield from _command(command, name, context)
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            assert found is not None, child
            yield from _commands(found, f"{name} {child}", context)


def _command(command: click.Command, name: str, context: click.Context) -> Iterator[str]:
    yield f"## {name}\n"
    yield f"```text\n{' '.join([name, *command.collect_usage_pieces(context)])}\n```\n"
    text = (command.help or "").replace("\b\n", "").strip()
    yield "\n".join(line.strip() for line in text.splitlines()) + "\n"
    declared = [each for each in command.get_params(context) if isinstance(each, click.Option)]
    rows = [each.get_help_record(context) for each in declared]
    options = [row for row in rows if row is not None and row[0] != "--help"]
    if options:
        yield "| option | meaning |\n| --- | --- |"
        yield from (f"| `{flag}` | {_cell(meaning)} |" for flag, meaning in options)
        yield ""


def _api_versions(schema: Mapping[str, Any]) -> list[str]:
    declared = schema["properties"]["apiVersion"]
    return declared.get("enum") or [declared["const"]]


def _resources() -> Iterator[str]:
    registry = DriverRegistry()
    units = registry.names(UNITS)
    for kind in [*resource_kinds(), *kubernetes_kinds(), *bundle_kinds(), *units]:
        schema = schema_of(kind, registry)
        yield f"## {kind}\n"
        yield " or ".join(f"`apiVersion: {each}`" for each in _api_versions(schema)) + "\n"
        if "description" in schema and kind not in units:
            yield f"{schema['description']}\n"
        yield "| field | type | meaning |\n| --- | --- | --- |"
        rows = _fields(schema["properties"]["spec"], schema, "spec")
        yield from (f"| `{path}` | {_cell(kind_of)} | {_cell(meaning)} |" for path, kind_of, meaning in rows)
        yield ""


def _fields(schema: Mapping[str, Any], top: Mapping[str, Any], path: str) -> Iterator[tuple[str, str, str]]:
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        whole = _follow(field, top)
        here = f"{path}.{name}"
        meaning = field.get("description", whole.get("description", ""))
        yield here, _type(whole, top) + (", required" if name in required else ""), meaning
        yield from _inner_fields(whole, top, here)


def _inner_fields(schema: Mapping[str, Any], top: Mapping[str, Any], path: str) -> Iterator[tuple[str, str, str]]:
    """The fields of a value: of a mapping, of what its free keys lead to, and of the items of a list."""
    yield from _fields(schema, top, path)
    inner = schema.get("additionalProperties")
    if isinstance(inner, dict):
        yield from _inner_fields(_follow(inner, top), top, f"{path}.<name>")
    items = schema.get("items")
    if isinstance(items, dict):
        yield from _inner_fields(_follow(items, top), top, f"{path}[]")


def _follow(schema: Mapping[str, Any], top: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return schema
    found: Any = top
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    return _follow(found, top)


def _type(schema: Mapping[str, Any], top: Mapping[str, Any]) -> str:
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return " or ".join(f"`{each}`" for each in schema["enum"])
    for choice in ("anyOf", "oneOf"):
        if choice in schema and "type" not in schema:
            return " or ".join(dict.fromkeys(_type(_follow(each, top), top) for each in schema[choice]))
    name = schema.get("type", "anything")
    if name == "array" and isinstance(schema.get("items"), dict):
        return f"list of {_type(_follow(schema['items'], top), top)}"
    return " or ".join(name) if isinstance(name, list) else str(name)


def _codes() -> Iterator[str]:
    yield "| code | meaning | exit |\n| --- | --- | --- |"
    for code in sorted(Code, key=lambda each: str(each.value)):
        yield f"| `{code.value}` | {_cell(code.meaning)} | {_EXITS[code.exit]} |"


def _cell(text: str) -> str:
    """Text for a cell of a table; code spans are left as they are."""
    spans = " ".join(text.split()).split("`")
    spans[::2] = [each.replace("|", "\\|").replace("<", "&lt;") for each in spans[::2]]
    return "`".join(spans)


_RESOURCES_TEXT = """\
Resources are documents of the project's `*.yaml`, `*.yml` and `*.json` files. `nyl schema KIND` prints the JSON
Schema of one, `nyl schema` one for all of them, which editors can complete and check with. Names are lower-case
letters, digits and inner dashes, at most 63 characters; durations look like `90s`, `10m`, `1h30m` or `7d`.

"""

_CODES_TEXT = """\
Every diagnostic carries one of these. The exit is what an error of that code leads to; a warning changes nothing, and
of several the worst counts.

"""


def main() -> int:
    """Writes the pages, or checks them."""
    if "--check" in sys.argv[1:]:
        stale = outdated()
        for name in stale:
            print(f"docs/reference/{name} is out of date: run scripts/reference.py", file=sys.stderr)
        return 1 if stale else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
