"""The files, sources and variables that enter units' keys, read in batches and recorded with their digests."""

from collections.abc import Callable, Iterable, Mapping

from nyl.core.cache import Cache
from nyl.core.canonical import digest_bytes
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError, Problems
from nyl.engine.content import Content, MatchedFile
from nyl.engine.preflight import CheckedUnit
from nyl.git.objects import ObjectReader
from nyl.state.documents import InputFile, InputRecord, SourceRecord
from nyl.units.ignoring import IgnoreFileInvalid, IgnoreRules, ignore_rules
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
        matched: dict[str, _Matched] = {}
        wanted = list(units)
        for each in wanted:
            try:
                matched[each.unit.name] = self._matched(each)
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

    def _matched(self, unit: UnitContents) -> "_Matched":
        seen: dict[str, dict[str, MatchedFile]] = {}
        ignore_files = []
        for files in unit.inputs.files:
            content = unit.contents[files.source]
            found = seen.setdefault(files.source, {})
            ignore_file = content.first_file(files.ignore)
            if ignore_file is not None:
                ignore_files.append((files.source, ignore_file))
            for glob in files.globs:
                matched = (
                    content.below(glob, self._ignores(content, ignore_file)) if files.ignore else content.match(glob)
                )
                found.update({file.path: file for file in matched})
        every = tuple((source, found[path]) for source, found in seen.items() for path in sorted(found))
        return _Matched(every, tuple(ignore_files))

    def _ignores(self, content: Content, ignore_file: MatchedFile | None) -> Callable[[str], bool]:
        if ignore_file is None:
            return IgnoreRules().ignores
        try:
            return ignore_rules(self._readers[content.repository].read(ignore_file.oid)).ignores
        except IgnoreFileInvalid as problem:
            raise NylError(
                Code.SOURCE_INPUT,
                f"The ignore file {ignore_file.path} cannot be used: {problem}.",
                "correct that line; patterns are those of .dockerignore files",
            ) from None

    def _digests(self, units: Iterable[UnitContents], matched: Mapping[str, "_Matched"]) -> dict[str, str | None]:
        """SHA-256 of blobs by their id; None for a Git LFS pointer."""
        owners = {
            file.oid: each.contents[source].repository
            for each in units
            for source, file in matched[each.unit.name].files
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


@dataclass(frozen=True)
class _Matched:
    """What a unit reads: with their sources, the files that enter its key, and those that say which ones do."""

    files: tuple[tuple[str, MatchedFile], ...]
    ignore_files: tuple[tuple[str, MatchedFile], ...]


def _record(unit: UnitContents, matched: _Matched, digests: Mapping[str, str | None]) -> UnitInputs:
    files = []
    paths: dict[str, list[str]] = {source: [] for source in unit.contents}
    for source, file in matched.ignore_files:
        paths[source].append(file.path)
    for source, file in matched.files:
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
