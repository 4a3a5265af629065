"""Parsing the nyl resources of one file, and checking them as far as the file alone allows."""

import hashlib
from collections.abc import Mapping
from typing import Any

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError
from nyl.git.lfs import is_pointer
from nyl.project.document_values import DocumentLines, parse_text, value_problems
from nyl.project.envelopes import RawDocument, UnitText, decode, has_template_tags, split_documents, split_unit
from nyl.project.records import (
    BUILT_IN_GROUPS,
    BUNDLES,
    COMPONENTS,
    KUBERNETES,
    POINTER,
    RESOURCES,
    FileRecord,
    GroupRecord,
    ReleaseRecord,
    ResourceRecord,
    UnitRecord,
)
from nyl.project.schema_catalog import (
    envelope_schema,
    literal_schema,
    resource_kinds,
    resource_schema,
    static_kinds,
)
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
    if is_pointer(data):
        return ParsedFile(FileRecord(foreign=(POINTER,)), {}, ())
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
        self._application_groups: list[GroupRecord] = []
        self._releases: list[ReleaseRecord] = []
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
                self._take_resource(document, api_version, resource_kinds())
            elif api_version == KUBERNETES:
                self._take_kubernetes(document)
            elif api_version == BUNDLES:
                self._take_bundled(document)
            elif api_version != COMPONENTS:
                self._take_unit(document)
        except NylError as error:
            self._problems.append(error)

    def result(self) -> ParsedFile:
        record = FileRecord(
            tuple(self._resources),
            tuple(self._units),
            tuple(sorted(self._foreign)),
            tuple(self._application_groups),
            tuple(self._releases),
        )
        return ParsedFile(record, self._specs, tuple(self._problems))

    def _take_kubernetes(self, document: RawDocument) -> None:
        kind = self._kind(document)
        if kind == "ApplicationGroup":
            self._take_group(document)
        elif kind == "Release":
            self._take_release(document)
        else:
            self._take_resource(document, KUBERNETES, static_kinds(), ("ApplicationGroup",))

    def _take_bundled(self, document: RawDocument) -> None:
        """Releases are read as far as they are literal; what else stands in bundles may be the text of templates."""
        kind = self._kind(document)
        known = ("Release", "HelmChart", "RemoteManifest")
        if kind == "Release":
            self._take_release(document)
        elif kind is not None and kind not in known:
            raise unknown_kind(kind, BUNDLES, known, Location(self._file, document.first_line()))

    def _kind(self, document: RawDocument) -> str | None:
        """The literal kind of a document. The text of a flow mapping does not tell which of its kinds is its own."""
        if document.is_flow:
            try:
                kind = parse_text(document.text, self._file, document.line).get("kind")
            except NylError:
                return document.kind()
            return kind if isinstance(kind, str) and not has_template_tags(kind) else None
        return document.kind()

    def _take_resource(
        self, document: RawDocument, api_version: str, kinds: tuple[str, ...], others: tuple[str, ...] = ()
    ) -> None:
        """A document of one of some kinds; `others` are those that its API group has beside them."""
        value = parse_text(document.text, self._file, document.line)
        kind = value.get("kind")
        if kind not in kinds:
            raise unknown_kind(kind, api_version, (*kinds, *others), Location(self._file, document.first_line()))
        if self._valid(value, document.text, document, resource_schema(kind)):
            self._resources.append(ResourceRecord(kind, value, document.first_line()))

    def _take_group(self, document: RawDocument) -> None:
        parts, envelope = self._split(document)
        if self._valid(envelope, parts.envelope, document, literal_schema("ApplicationGroup")):
            metadata = envelope["metadata"]
            group = GroupRecord(
                metadata["name"],
                metadata.get("labels", {}),
                document.first_line(),
                parts.spec or "spec: {}",
                parts.spec_line,
            )
            self._application_groups.append(group)

    def _take_release(self, document: RawDocument) -> None:
        from nyl.project.release_texts import read_release

        known = self._releases[0] if self._releases else None
        record, problems = read_release(document, self._file, known)
        self._problems.extend(problems)
        if record is not None:
            self._releases.append(record)

    def _split(self, document: RawDocument) -> tuple[UnitText, Mapping[str, Any]]:
        """The two parts of a document whose spec is the text of a template, and the value of the literal one."""
        if document.is_flow:
            parse_text(document.text, self._file, document.line)
        parts = split_unit(document, self._file)
        envelope = parse_text(parts.envelope, self._file, document.line)
        if document.is_flow:
            envelope = {key: value for key, value in envelope.items() if key != "spec"}
        return parts, envelope

    def _take_unit(self, document: RawDocument) -> None:
        parts, envelope = self._split(document)
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

    def _valid(self, value: Any, text: str, document: RawDocument, schema: Mapping[str, Any]) -> bool:
        found = value_problems(value, self._file, DocumentLines(text, document.line), schema)
        self._problems.extend(found)
        return not found


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

    found = re.findall(rb"""^[ {"']*apiVersion["']?\s*:\s*["']?([\w.-]+/[\w.-]+|[\w.-]*nyl\b)""", data, re.MULTILINE)
    return tuple(sorted({each.decode() for each in found}))
