"""The files of a tree that may hold resources: read and parsed once, then taken from the cache."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nyl import __version__
from nyl.core.cache import Cache
from nyl.core.diagnostics import Location, NylError, Problems
from nyl.project.cached_json import load_all
from nyl.project.config import ProjectConfig
from nyl.project.left_out import left_out
from nyl.project.records import BUILT_IN_GROUPS, FORMAT, POINTER, FileRecord
from nyl.project.trees import SourceTree
from nyl.project.units import UnitDocument, UnitKinds

if TYPE_CHECKING:
    from nyl.project.envelopes import RawDocument
    from nyl.project.nobodys import NobodysDocument

_SUFFIXES = (".yaml", ".yml", ".json")


class ResourceFiles:
    """The files of a tree that may hold resources, parsed or taken from the cache."""

    def __init__(self, tree: SourceTree, config: ProjectConfig, cache: Cache) -> None:
        self.cache = cache
        self.folder = tree.project_folder
        """The project's folder, from the root of the repository; '' is the root."""
        self._tree = tree
        self._specs: dict[tuple[str, int], str] = {}
        self._groups = BUILT_IN_GROUPS
        self._foreign: dict[str, tuple[str, ...]] = {}
        files = tree.files(_SUFFIXES)
        excluded = left_out(files, tree.project_folder, config)
        self.identities = {path: files[path] for path in sorted(files) if not path.startswith(excluded)}
        """Identity of the content of each file, by its path."""

    def records(self, kinds: UnitKinds, problems: Problems) -> dict[str, FileRecord]:
        """What each file holds, by its path.

        The groups of installed drivers are only asked for when a file has an API version that nyl does not know.
        """
        records = self._records(self.identities, problems)
        foreign = {version for record in records.values() for version in record.foreign}
        installed = kinds.groups() & foreign if foreign else frozenset()
        if installed:
            self._groups = BUILT_IN_GROUPS | installed
            again = {path for path, record in records.items() if not installed.isdisjoint(record.foreign)}
            records.update(self._records({path: self.identities[path] for path in again}, Problems()))
        self._foreign = {path: record.foreign for path, record in records.items() if record.foreign}
        return records

    def nobodys(self, wanted: Callable[[str], bool] = lambda _: True) -> "tuple[NobodysDocument, ...]":
        """The documents whose API version is wanted, and had by nothing installed. It takes a look at the files."""
        versions = {version for each in self._foreign.values() for version in each if wanted(version)}
        if not versions:
            return ()
        from nyl.project.nobodys import nobodys_documents

        files = [path for path, each in self._foreign.items() if not versions.isdisjoint(each)]
        return tuple(nobodys_documents(self._tree.read_many(files), versions))

    def pointers(self) -> tuple[str, ...]:
        """The files that are Git LFS pointers."""
        return tuple(path for path, each in self._foreign.items() if POINTER in each)

    def spec_texts(self, documents: Sequence[UnitDocument]) -> list[str]:
        """The spec text of each document, in their order."""
        missing = {each.location.file for each in documents if (each.location.file, each.index) not in self._specs}
        for path, data in self._tree.read_many(missing).items() if missing else ():
            self._parse(path, data)
        return [self._specs[each.location.file, each.index] for each in documents]

    def resource_line(self, location: Location, pointer: str) -> int:
        """The line of what a JSON pointer points at in the document that starts at a location."""
        from nyl.project.document_values import DocumentLines

        document = self._document(location)
        return DocumentLines(document.text, document.line).line_of(pointer)

    def release_line(self, location: Location, pointer: str) -> int:
        """The line of what a JSON pointer points at in the literal part of the Release that starts at a location."""
        from nyl.project.document_values import DocumentLines
        from nyl.project.release_texts import literal_part

        document = self._document(location)
        return DocumentLines(literal_part(document, location.file), document.line).line_of(pointer)

    def resource_value(self, location: Location) -> Mapping[str, Any]:
        """The resource that starts at a location."""
        from nyl.project.document_values import parse_text

        document = self._document(location)
        return parse_text(document.text, location.file, document.line)

    def text(self, file: str) -> str:
        """The text of a file."""
        from nyl.project.envelopes import decode

        return decode(self._tree.read_many([file])[file], file)

    def _document(self, location: Location) -> "RawDocument":
        from nyl.project.envelopes import split_documents

        return next(each for each in split_documents(self.text(location.file)) if each.first_line() == location.line)

    def _records(self, identities: Mapping[str, str], problems: Problems) -> dict[str, FileRecord]:
        namespace = f"documents/{__version__}/{FORMAT}/{_digest(self._groups)}"
        cached = load_all(self.cache.get_many(namespace, identities.values()))
        records = {
            path: record
            for path, identity in identities.items()
            if identity in cached and (record := FileRecord.of(cached[identity])) is not None
        }
        missing = [path for path in identities if path not in records]
        fresh: dict[str, bytes] = {}
        for path, data in self._tree.read_many(missing).items() if missing else ():
            record, found = self._parse(path, data)
            records[path] = record
            for problem in found:
                problems.add(problem)
            if not found:
                fresh[identities[path]] = record.encode()
        self.cache.put_many(namespace, fresh)
        return records

    def _parse(self, path: str, data: bytes) -> tuple[FileRecord, tuple[NylError, ...]]:
        from nyl.project.documents import parse_file

        parsed = parse_file(data, path, self._groups)
        self._specs.update({(path, index): text for index, text in parsed.specs.items()})
        return parsed.record, parsed.problems


def _digest(groups: frozenset[str]) -> str:
    return hashlib.sha256("\n".join(sorted(groups)).encode()).hexdigest()[:16]
