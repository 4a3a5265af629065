"""Parsing the nyl resources of one file, and checking them as far as the file alone allows."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.project.envelopes import RawDocument, UnitText, decode, has_template_tags, split_documents, split_unit
from nyl.project.records import BUILT_IN_GROUPS, KUBERNETES, RESOURCES, FileRecord, ResourceRecord, UnitRecord
from nyl.project.schema_catalog import envelope_schema, resource_kinds, resource_schema
from nyl.project.schema_problems import Subject, schema_errors
from nyl.project.unknown_kinds import unknown_kind

_WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
_MENTIONS = (b"gitops.nyl/v1", b"k8s.nyl/v1")


@dataclass(frozen=True)
class ParsedFile:
    """A parsed file: its record, the spec texts of its units by document index, and what is wrong with it."""

    record: FileRecord
    specs: Mapping[int, str]
    problems: tuple[NylError, ...]


def parse_file(data: bytes, file: str, groups: frozenset[str]) -> ParsedFile:
    """The nyl resources of a file, those of `groups`. A file that mentions none of them may hold anything."""
    if not _mentions(data, groups):
        return ParsedFile(FileRecord(foreign=_foreign_versions(data)), {}, ())
    try:
        text = decode(data, file)
    except NylError as error:
        return ParsedFile(FileRecord(), {}, (error,))
    parser = _FileParser(file, groups)
    for document in split_documents(text):
        parser.take(document)
    return parser.result()


class _FileParser:
    """Takes the documents of one file one by one."""

    def __init__(self, file: str, groups: frozenset[str]) -> None:
        self._file = file
        self._groups = groups
        self._resources: list[ResourceRecord] = []
        self._units: list[UnitRecord] = []
        self._foreign: set[str] = set()
        self._specs: dict[int, str] = {}
        self._problems: list[NylError] = []

    def take(self, document: RawDocument) -> None:
        api_version = document.api_version()
        if api_version is None:
            return
        if api_version not in self._groups:
            self._foreign.add(api_version)
            return
        try:
            if api_version == RESOURCES:
                self._take_resource(document)
            elif api_version in KUBERNETES:
                self._refuse_kind(document, api_version)
            else:
                self._take_unit(document)
        except NylError as error:
            self._problems.append(error)

    def result(self) -> ParsedFile:
        record = FileRecord(tuple(self._resources), tuple(self._units), tuple(sorted(self._foreign)))
        return ParsedFile(record, self._specs, tuple(self._problems))

    def _take_resource(self, document: RawDocument) -> None:
        value = parse_text(document.text, self._file, document.line)
        kind = value.get("kind")
        if kind not in resource_kinds():
            raise unknown_kind(kind, RESOURCES, resource_kinds(), Location(self._file, document.first_line()))
        if self._valid(value, document.text, document, resource_schema(kind)):
            self._resources.append(ResourceRecord(kind, value, document.first_line()))

    def _take_unit(self, document: RawDocument) -> None:
        if document.is_flow:
            parse_text(document.text, self._file, document.line)
        parts = split_unit(document, self._file)
        envelope = parse_text(parts.envelope, self._file, document.line)
        if document.is_flow:
            envelope = {key: value for key, value in envelope.items() if key != "spec"}
        if not self._valid(envelope, parts.envelope, document, envelope_schema()):
            return
        if parts.spec is None:
            place = Location(self._file, document.first_line())
            message = f"{place}: unit {envelope['metadata']['name']} has no spec."
            raise NylError(Code.RESOURCE_INVALID, message, "add `spec:` with the unit's fields", location=place)
        self._keep_unit(envelope, parts, document)

    def _keep_unit(self, envelope: Mapping[str, Any], parts: UnitText, document: RawDocument) -> None:
        text = parts.spec or ""
        metadata = envelope["metadata"]
        self._specs[document.index] = text
        self._units.append(
            UnitRecord(
                envelope["apiVersion"],
                envelope["kind"],
                metadata["name"],
                metadata.get("labels", {}),
                document.first_line(),
                document.index,
                parts.spec_line,
                hashlib.sha256(text.encode()).hexdigest(),
                has_template_tags(text),
            )
        )

    def _refuse_kind(self, document: RawDocument, api_version: str) -> None:
        value = parse_text(document.text, self._file, document.line)
        raise unknown_kind(value.get("kind"), api_version, (), Location(self._file, document.first_line()))

    def _valid(self, value: Any, text: str, document: RawDocument, schema: Mapping[str, Any]) -> bool:
        found = _validator(schema).problems(value)
        subject = Subject(_phrase(value), self._file, DocumentLines(text, document.line).line_of)
        self._problems.extend(schema_errors(found, subject))
        return not found


class DocumentLines:
    """Finds the lines of pointers in the text of one document that starts on a line of its file."""

    def __init__(self, text: str, line: int) -> None:
        self._data = text.encode()
        self._line = line

    def line_of(self, pointer: str) -> int:
        """The line of the file on which what a JSON pointer points at stands, or its nearest parent."""
        from nyl.core.yamlio import line_of

        return max(line_of(self._data, 0, pointer), 1) + self._line - 1


def parse_text(text: str, file: str, line: int) -> dict[str, Any]:
    """The mapping that a document's text holds; `line` is where it starts in the file. Raises NYL-YAML-INVALID."""
    from nyl.core.yamlio import load_documents

    data = text.encode()
    try:
        found = load_documents(data, file)
    except NylError:
        load_documents(b"\n" * (line - 1) + data, file)  # raises again, now with the line of the file
        raise
    if len(found) == 1 and isinstance(found[0].value, dict):
        return found[0].value
    place = Location(file, line)
    raise NylError(
        Code.YAML_INVALID, f"{place}: the document is not one mapping.", "write it as a mapping", location=place
    )


def _phrase(value: Mapping[str, Any]) -> str:
    metadata = value.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    kind = value.get("kind")
    return " ".join(str(each)[:80] for each in (kind if isinstance(kind, str) else "resource", name) if each)


_VALIDATORS: dict[int, Any] = {}


def _validator(schema: Mapping[str, Any]) -> Any:
    """One compiled validator for each of the catalog's schemas, which live as long as the process."""
    from nyl.core.schemas import Validator

    return _VALIDATORS.setdefault(id(schema), Validator(schema))


def _mentions(data: bytes, groups: frozenset[str]) -> bool:
    plain = data.replace(b"\\/", b"/")
    wanted = (*_MENTIONS, *(group.encode() for group in groups - BUILT_IN_GROUPS))
    if any(each in plain for each in wanted):
        return True
    if b"\0" not in data:
        return False
    wide = [each.decode().encode(encoding) for each in wanted for encoding in _WIDE]
    return any(each in data for each in wide)


def _foreign_versions(data: bytes) -> tuple[str, ...]:
    import re

    found = re.findall(rb"""^[ {"']*apiVersion["']?\s*:\s*["']?([\w.-]+/[\w.-]+)""", data, re.MULTILINE)
    return tuple(sorted({each.decode() for each in found}))
