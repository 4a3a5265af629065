"""Documents of a commit: read in one pass, from the cache where a blob was parsed before, checked before use."""

import gc
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from nyl.core.cache import Cache
from nyl.core.canonical import digest
from nyl.git.objects import ObjectReader
from nyl.git.trees import TreeEntry
from nyl.state import codec
from nyl.state.codec import Codec, Origin, check_environment, check_unit, corrupt
from nyl.state.documents import Checkpoint, Data, DesiredUnit, EnvironmentRecord, ObservedUnit, StateRecord
from nyl.state.paths import DESIRED_ROLES, FileRole, StatePaths

_T = TypeVar("_T")

_NAMESPACE = "state/1"
"""Changes with the form of what is cached: the plain data of a document as JSON."""


@dataclass(frozen=True)
class StoredFile:
    """A file of a state or run ref."""

    origin: Origin
    blob: str


@dataclass(frozen=True)
class StateDocuments:
    """All documents of one environment, as two commits hold them."""

    record: StateRecord | None
    environment_record: EnvironmentRecord | None
    desired: Mapping[str, DesiredUnit]
    observed: Mapping[str, ObservedUnit]


class DocumentReader:
    """Reads the documents of one environment. Errors: NYL-STATE-CORRUPT and NYL-STATE-VERSION, with file and commit."""

    def __init__(self, objects: ObjectReader, cache: Cache, environment: str, paths: StatePaths) -> None:
        self._objects = objects
        self._cache = cache
        self._environment = environment
        self._paths = paths

    def state(self, desired_commit: str, observed_commit: str) -> StateDocuments:
        """Every document of an environment's state. `record` is None where the state was never initialised."""
        with _without_collection():
            return self._state(desired_commit, observed_commit)

    def _state(self, desired_commit: str, observed_commit: str) -> StateDocuments:
        files = self._state_files(desired_commit, observed_commit)
        plain = self.plain(each for group in files.values() for each in group.values())
        records = [self._decode(codec.STATE_RECORD, plain, file) for file in files[FileRole.STATE].values()]
        environments = [
            self._decode(codec.ENVIRONMENT_RECORD, plain, file) for file in files[FileRole.ENVIRONMENT].values()
        ]
        for record, file in zip(records, files[FileRole.STATE].values(), strict=True):
            check_environment(file.origin, record.environment, self._environment)
        for environment, file in zip(environments, files[FileRole.ENVIRONMENT].values(), strict=True):
            check_environment(file.origin, environment.environment, self._environment)
        whole = {each.origin.commit for each in files[FileRole.STATE].values()} == {desired_commit, observed_commit}
        return StateDocuments(
            records[0] if whole else None,
            environments[0] if environments else None,
            self._units(codec.DESIRED_UNIT, plain, files[FileRole.DESIRED]),
            self._units(codec.OBSERVED_UNIT, plain, files[FileRole.OBSERVED]),
        )

    def artifact(self, observed_commit: str, unit: str, name: str, expected: str) -> Data:
        """An artifact of a receipt, whose digest must be `expected`."""
        path = self._paths.artifact(unit, name)
        return self._verified(Origin(observed_commit, path), self.find(observed_commit, path), expected)

    def contents(self, blobs: Iterable[str]) -> dict[str, bytes]:
        """The bytes of some blobs."""
        return self._objects.read_many(blobs)

    def holds_state(self, commit: str) -> bool:
        """Whether a commit holds the state of any environment, in whatever folder."""
        return any(path == "state.yaml" or path.endswith("/state.yaml") for path in self._objects.tree(commit))

    def find(self, commit: str, path: str) -> str | None:
        """The blob of one file of a commit, without listing the others; None when there is no such file."""
        return self._objects.resolve(f"{commit}:{path}", "")

    def checkpoint_artifacts(
        self, checkpoint: Checkpoint, files: Mapping[str, StoredFile], commit: str
    ) -> dict[str, Data]:
        """The artifacts of a checkpointed receipt, from its run ref's files by artifact name."""
        receipt = checkpoint.observed.receipt
        expected = receipt.artifacts if receipt else {}
        return {
            name: self._verified(
                files[name].origin if name in files else Origin(commit, f"artifact {name}"),
                files[name].blob if name in files else None,
                wanted,
            )
            for name, wanted in expected.items()
        }

    def one(self, wanted: Codec[_T], file: StoredFile) -> _T:
        """One document."""
        return self._decode(wanted, self.plain([file]), file)

    def units(self, wanted: Codec[_T], files: Mapping[str, StoredFile]) -> dict[str, _T]:
        """Documents of units by unit name, each checked against its file's name and the environment."""
        return self._units(wanted, self.plain(files.values()), files)

    def plain(self, files: Iterable[StoredFile]) -> dict[str, dict[str, Any]]:
        """The plain data of files by blob, parsed only where the cache does not know the blob."""
        wanted = {each.blob: each.origin for each in files}
        known: dict[str, dict[str, Any]] = {
            blob: json.loads(data) for blob, data in self._cache.get_many(_NAMESPACE, wanted).items()
        }
        unknown = {blob: origin for blob, origin in wanted.items() if blob not in known}
        if unknown:
            contents = self._objects.read_many(list(unknown))
            parsed = {blob: codec.parse(contents[blob], origin) for blob, origin in unknown.items()}
            self.remember(parsed)
            known.update(parsed)
        return known

    def remember(self, parsed: Mapping[str, dict[str, Any]]) -> None:
        """Keeps plain data of blobs for later readings."""
        rows = {blob: json.dumps(value, separators=(",", ":")).encode() for blob, value in parsed.items()}
        self._cache.put_many(_NAMESPACE, rows)

    def _state_files(self, desired_commit: str, observed_commit: str) -> dict[FileRole, dict[str, StoredFile]]:
        files: dict[FileRole, dict[str, StoredFile]] = {role: {} for role in FileRole}
        sides = ((desired_commit, FileRole.DESIRED), (observed_commit, FileRole.OBSERVED))
        trees = {commit: self.tree(commit) for commit in dict.fromkeys((desired_commit, observed_commit))}
        for commit, unit_role in sides:
            for path, entry in trees[commit].items():
                found = self._paths.parse(path)
                if found and found.role in _ROLES_OF[unit_role]:
                    key = commit if found.role is FileRole.STATE else found.unit
                    files[found.role][key] = StoredFile(Origin(commit, path), entry.oid)
        return files

    def tree(self, commit: str) -> Mapping[str, TreeEntry]:
        """The files of a commit below the state's folder, by path from the root."""
        below = self._paths.path
        if below and self.find(commit, below) is None:
            return {}
        return self._objects.tree(commit, below)

    def _units(
        self, wanted: Codec[_T], plain: Mapping[str, dict[str, Any]], files: Mapping[str, StoredFile]
    ) -> dict[str, _T]:
        documents = {}
        for unit, file in files.items():
            self._check_unit(plain[file.blob], unit, file.origin)
            documents[unit] = self._decode(wanted, plain, file)
        return documents

    def _decode(self, wanted: Codec[_T], plain: Mapping[str, dict[str, Any]], file: StoredFile) -> _T:
        return codec.decode(wanted, plain[file.blob], file.origin)

    def _check_unit(self, value: Mapping[str, Any], unit: str, origin: Origin) -> None:
        identity = value.get("unit")
        if not isinstance(identity, dict):
            return  # decoding says what is wrong
        check_environment(origin, identity.get("environment"), self._environment)
        check_unit(origin, identity.get("name"), unit)

    def _verified(self, origin: Origin, blob: str | None, expected: str) -> Data:
        from nyl.core import yamlio

        if blob is None:
            raise corrupt(origin, "the receipt names this artifact and the file is not there")
        value: Data = yamlio.load_document(self._objects.read(blob), origin.path)
        if digest(value) != expected:
            raise corrupt(origin, "its content does not have the digest that the receipt names")
        return value


@contextmanager
def _without_collection() -> Iterator[None]:
    """Keeps the cycle collector from walking thousands of new documents, none of which is garbage, again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


_ROLES_OF = {
    FileRole.DESIRED: DESIRED_ROLES,
    FileRole.OBSERVED: frozenset({FileRole.STATE, FileRole.OBSERVED}),
}
