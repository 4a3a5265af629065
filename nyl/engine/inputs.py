"""The files, sources and variables that enter units' keys, read in batches and recorded with their digests."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nyl.core.cache import Cache
from nyl.core.canonical import digest_bytes
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError, Problems
from nyl.engine.content import Content, MatchedFile
from nyl.engine.preflight import CheckedUnit
from nyl.git.objects import ObjectReader
from nyl.state.documents import InputFile, InputRecord, SourceRecord
from nyl.units.inputs import Inputs

_NAMESPACE = "blob-facts/1"
_POINTER = b"lfs"


@dataclass(frozen=True)
class UnitContents:
    """Where a unit's files come from: `contents` is by source field pointer, '' for S."""

    unit: CheckedUnit
    inputs: Inputs
    contents: Mapping[str, Content]
    records: Mapping[str, SourceRecord]
    """What each source field resolved to."""


@dataclass(frozen=True)
class UnitInputs:
    """What a unit reads: what enters its key, and the paths its checkouts must hold, by source."""

    record: InputRecord
    paths: Mapping[str, tuple[str, ...]]


class InputReader:
    """Reads the digests of input files, each blob once, from the cache where it was read before."""

    def __init__(self, cache: Cache, readers: Mapping[object, ObjectReader]) -> None:
        self._cache = cache
        self._readers = readers

    def read(self, units: Iterable[UnitContents]) -> dict[str, UnitInputs]:
        """The inputs of some units, by name.

        Raises all problems together: NYL-SOURCE-INPUT for globs without files, links, submodules and LFS pointers.
        """
        problems = Problems()
        matched: dict[str, list[tuple[str, MatchedFile]]] = {}
        wanted = list(units)
        for each in wanted:
            try:
                matched[each.unit.name] = list(_matched(each))
            except NylError as error:
                problems.add(each.unit.located(error))
        problems.raise_any()
        digests = self._digests(wanted, matched)
        result = {}
        for each in wanted:
            try:
                result[each.unit.name] = _record(each, matched[each.unit.name], digests)
            except NylError as error:
                problems.add(each.unit.located(error))
        problems.raise_any()
        return result

    def _digests(
        self, units: Iterable[UnitContents], matched: Mapping[str, list[tuple[str, MatchedFile]]]
    ) -> dict[str, str | None]:
        """SHA-256 of blobs by their id; None for a Git LFS pointer."""
        owners = {
            file.oid: each.contents[source].repository for each in units for source, file in matched[each.unit.name]
        }
        known = {
            oid: None if value == _POINTER else value.decode()
            for oid, value in self._cache.get_many(_NAMESPACE, owners).items()
        }
        fresh: dict[str, str | None] = {}
        for repository, reader in self._readers.items():
            unread = [oid for oid, owner in owners.items() if owner is repository and oid not in known]
            for oid, facts in reader.sha256_many(unread).items():
                fresh[oid] = None if facts.lfs_pointer else f"sha256:{facts.sha256}"
        if fresh:
            self._cache.put_many(
                _NAMESPACE, {oid: _POINTER if value is None else value.encode() for oid, value in fresh.items()}
            )
        return known | fresh


def _matched(unit: UnitContents) -> Iterable[tuple[str, MatchedFile]]:
    for files in unit.inputs.files:
        content = unit.contents[files.source]
        seen: dict[str, MatchedFile] = {}
        for glob in files.globs:
            seen.update({file.path: file for file in content.match(glob)})
        yield from ((files.source, seen[path]) for path in sorted(seen))


def _record(
    unit: UnitContents, matched: list[tuple[str, MatchedFile]], digests: Mapping[str, str | None]
) -> UnitInputs:
    files = []
    paths: dict[str, list[str]] = {source: [] for source in unit.contents}
    for source, file in matched:
        digest = digests[file.oid]
        if digest is None:
            raise NylError(
                Code.SOURCE_INPUT,
                f"The input file {file.path} is a Git LFS pointer, not the content it stands for.",
                "vendor the file as ordinary Git content",
            )
        if file.symlink:
            # The blob of a link is its target: as a file of the same bytes, but not the same input.
            digest = digest_bytes(f"symlink {digest}".encode())
        files.append(InputFile(file.name, digest, file.executable, source))
        paths[source].append(file.path)
    variables = tuple(sorted({*unit.unit.rendered.passthrough, *unit.unit.rendered.secrets}))
    record = InputRecord(tuple(files), unit.records, variables=variables)
    return UnitInputs(record, {source: tuple(each) for source, each in paths.items()})
