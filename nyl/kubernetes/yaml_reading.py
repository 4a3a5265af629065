"""Reads rendered text as kubectl reads it (spec "YAML"): documents become objects, and lists the objects in them."""

import re
from collections.abc import Iterator
from typing import Any, NoReturn

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError
from nyl.core.yaml_reader import Reader
from nyl.kubernetes.scalars import KubectlRules

ALIAS_LIMIT = 1_000_000
"""Nodes that aliases may repeat beyond those that are written: no text has more than one for two characters."""
_LINE_BREAK = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")
_SOURCE = "# Source: "
_VERSION = re.compile(r"[^/\s]+(?:/[^/\s]+)?")


@dataclass(frozen=True)
class ParsedManifest:
    """One object of a text. `value` has a text as its apiVersion and kind, and a mapping as its metadata, if any."""

    value: dict[str, Any]
    line: int
    """The line its document starts at, in the file that was named."""
    helm_source: str | None
    """What follows `# Source: ` above it, as Helm writes it."""
    index: int
    """Which document of the text it is in, from 0, empty ones counted."""


def read_manifests(text: str, file: str, first_line: int = 1) -> list[ParsedManifest]:
    """The objects of a text: those of lists one by one, and nothing for empty documents.

    `file` and `first_line`, the line of the file at which the text begins, name places in errors. Raises NylError:
    NYL-YAML-INVALID for what is no YAML, a key that stands twice in a mapping among it, and NYL-MANIFEST-INVALID for a
    document that is no object.
    """
    lines = _LINE_BREAK.split(text) if _SOURCE in text else None
    reader = Reader(file, ALIAS_LIMIT + len(text) // 2, KubectlRules(), first_line - 1)
    found = []
    for index, (value, line) in enumerate(reader.documents(text.encode("utf-8", "surrogatepass"))):
        if value is None:
            continue
        place = Location(file, line + first_line - 1)
        source = _helm_source(lines, line) if lines else None
        found += [ParsedManifest(each, place.line, source, index) for each in _objects(value, place)]
    return found


def _objects(value: Any, place: Location) -> Iterator[dict[str, Any]]:
    _check(value, place)
    kind, items = value["kind"], value.get("items")
    is_list = kind == "List" and value["apiVersion"] == "v1"
    if not (is_list or (kind.endswith("List") and isinstance(items, list))):
        yield value
    elif isinstance(items, list):
        for each in items:
            yield from _objects(_typed(each, value), place)
    elif items is not None:
        _refuse("its items are no list", place)


def _typed(item: Any, parent: dict[str, Any]) -> Any:
    """An item of a list of one kind, such as a ConfigMapList, may leave out its own type."""
    kind = parent["kind"].removesuffix("List")
    if kind and isinstance(item, dict) and not item.get("kind"):
        return {"apiVersion": parent["apiVersion"], "kind": kind, **{k: v for k, v in item.items() if k not in _TYPE}}
    return item


_TYPE = frozenset({"apiVersion", "kind"})


def _check(value: Any, place: Location) -> None:
    if not isinstance(value, dict):
        _refuse("it is no mapping", place)
    for field in ("apiVersion", "kind"):
        if not isinstance(value.get(field), str) or not value[field]:
            _refuse(f"it has no {field}", place)
    if not _VERSION.fullmatch(value["apiVersion"]):
        _refuse(f"its apiVersion {value['apiVersion']!r} is neither <version> nor <group>/<version>", place)
    metadata = value.get("metadata", {})
    if metadata is None and value["kind"].endswith("List"):
        return
    if not isinstance(metadata, dict):
        _refuse("its metadata is no mapping", place)
    for field in ("name", "namespace", "generateName"):
        if not isinstance(metadata.get(field, ""), str | None):
            _refuse(f"its metadata.{field} is no text: {metadata[field]!r}", place, "write it in quotes")


def _helm_source(lines: list[str], line: int) -> str | None:
    """The comment of Helm among those between the document's content, on `line`, and the mark of its start."""
    found = None
    for number in range(line - 2, -1, -1):
        each = lines[number]
        if each.startswith(_SOURCE):
            found = each.removeprefix(_SOURCE).strip()
        elif each.strip() and not each.lstrip().startswith("#"):
            break
    return found


def _refuse(
    what: str, place: Location, fix: str = "correct the document or the template that it comes from"
) -> NoReturn:
    raise NylError(
        Code.MANIFEST_INVALID, f"A document at {place} is no Kubernetes object: {what}.", fix, location=place
    )
