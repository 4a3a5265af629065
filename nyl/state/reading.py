"""Documents of commits: what is known of a state is taken as it is, the rest is read in one pass and checked."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from nyl.core.cache import Cache
from nyl.core.canonical import digest
from nyl.core.collector import collector_paused
from nyl.core.dataclass import dataclass
from nyl.git.objects import ObjectReader
from nyl.git.trees import TreeEntry
from nyl.state import codec
from nyl.state.changes import Transition
from nyl.state.codec import Codec, Origin, check_environment, check_unit, corrupt
from nyl.state.coordination_documents import Checkpoint
from nyl.state.documents import (
    Data,
    DesiredUnit,
    EnvironmentRecord,
    Observation,
    ObservationType,
    ObservedUnit,
    StateRecord,
    Work,
)
from nyl.state.paths import FileRole, StatePaths
from nyl.state.remembered import KnownState, Section, StateMemory, Trees
from nyl.state.state_files import (
    BESIDE,
    ROLES_OF,
    Files,
    StoredFile,
    observations_by_key,
    observations_by_unit,
    state_files,
)

_T = TypeVar("_T")

_NAMESPACE = "state/1"
"""Changes with the form of what is cached of run refs: the plain data of a document as JSON."""


@dataclass(frozen=True)
class StateDocuments:
    """All documents of one environment, as two commits hold them."""

    record: StateRecord | None
    environment_record: EnvironmentRecord | None
    desired: Mapping[str, DesiredUnit]
    observed: Mapping[str, ObservedUnit]
    observations: Mapping[str, Mapping[ObservationType, Observation]]


class DocumentReader:
    """Reads the documents of one environment. Errors: NYL-STATE-CORRUPT and NYL-STATE-VERSION, with file and commit."""

    def __init__(self, objects: ObjectReader, cache: Cache, environment: str, paths: StatePaths) -> None:
        self._objects = objects
        self._cache = cache
        self._environment = environment
        self._paths = paths
        self._memory = StateMemory(cache, environment)
        self._known: KnownState | None = None
        self._from_run_refs: dict[int, object] = {}
        """Documents that were read, by identity: a transition that writes one writes what was read."""

    def state(self, desired_commit: str, observed_commit: str) -> StateDocuments:
        """Every document of an environment's state. `record` is None where the state was never initialised."""
        trees = self.find(desired_commit, self._paths.path), self.find(observed_commit, self._paths.path)
        with collector_paused():
            known = self._recalled()
            if known.trees != trees:
                known = self._read(trees, self._state_files(desired_commit, observed_commit), known)
        records = known.states.documents
        return StateDocuments(
            record=records[FileRole.DESIRED] if records.keys() == ROLES_OF.keys() else None,
            environment_record=known.environments.documents.get(""),
            desired=known.desired.documents,
            observed=known.observed.documents,
            observations=observations_by_unit(known.observations.documents),
        )

    def learn(self, desired_commit: str, observed_commit: str, transition: Transition) -> None:
        """Keeps what a transition wrote, and the commits that it led to, so that the next reading parses nothing."""
        trees = self.find(desired_commit, self._paths.path), self.find(observed_commit, self._paths.path)
        with collector_paused():
            files, before = self._state_files(desired_commit, observed_commit), self._recalled()
            environments = {"": transition.environment} if transition.environment else {}
            known = KnownState(
                before.trees,
                before.states,
                self._learned(codec.ENVIRONMENT_RECORD, environments, files[FileRole.ENVIRONMENT], before.environments),
                self._learned(codec.DESIRED_UNIT, transition.desired, files[FileRole.DESIRED], before.desired),
                self._learned(codec.OBSERVED_UNIT, transition.observed, files[FileRole.OBSERVED], before.observed),
                self._learned(
                    codec.OBSERVATION, observations_by_key(transition), files[FileRole.OBSERVATION], before.observations
                ),
            )
            self._read(trees, files, known)

    def _learned(
        self,
        kind: Codec[_T],
        changed: Mapping[str, _T | None],
        files: Mapping[str, StoredFile],
        before: Section[_T],
    ) -> Section[_T]:
        """A section with documents that were just written, as reading their files would give them."""
        written = {name: document for name, document in changed.items() if document is not None}
        blobs = {name: files[name].blob for name in written}
        settled = {
            name: document if id(document) in self._from_run_refs else codec.settled(kind, document, files[name].origin)
            for name, document in written.items()
        }
        return Section({**before.blobs, **blobs}, {**before.documents, **settled})

    def _recalled(self) -> KnownState:
        if self._known is None:
            self._known = self._memory.recall()
        return self._known

    def _read(self, trees: Trees, files: Files, known: KnownState) -> KnownState:
        """The state that files hold, kept for later: documents of known blobs as they are, the others parsed."""
        self._known = KnownState(
            trees,
            self._section(codec.STATE_RECORD, files[FileRole.STATE], known.states),
            self._section(codec.ENVIRONMENT_RECORD, files[FileRole.ENVIRONMENT], known.environments),
            self._section(codec.DESIRED_UNIT, files[FileRole.DESIRED], known.desired),
            self._section(codec.OBSERVED_UNIT, files[FileRole.OBSERVED], known.observed),
            self._section(codec.OBSERVATION, files[FileRole.OBSERVATION], known.observations),
        )
        self._memory.keep(self._known)
        return self._known

    def _section(self, wanted: Codec[_T], files: Mapping[str, StoredFile], known: Section[_T]) -> Section[_T]:
        fresh = {name: file for name, file in files.items() if known.blobs.get(name) != file.blob}
        parsed = self._documents(wanted, self._parsed({file.blob: file.origin for file in fresh.values()}), fresh)
        documents = {name: parsed[name] if name in parsed else known.documents[name] for name in files}
        return Section({name: file.blob for name, file in files.items()}, documents)

    def artifact(self, observed_commit: str, unit: str, name: str, expected: str) -> Data:
        """An artifact of a receipt, whose digest must be `expected`."""
        path = self._paths.artifact(unit, name)
        return self._verified(Origin(observed_commit, path), self.find(observed_commit, path), expected)

    def changed_since(self, before: str, observed_commit: str) -> frozenset[str]:
        """The units whose observed document is not the same in two commits of the observed ref.

        These are all of them where the one before is gone, with a history that was lost or rewritten.
        """
        if before == observed_commit:
            return frozenset()
        old = self._observed_blobs(before) if self._objects.resolve(before) else {}
        new = self._observed_blobs(observed_commit)
        return frozenset(unit for unit in old.keys() | new.keys() if old.get(unit) != new.get(unit))

    def _observed_blobs(self, commit: str) -> dict[str, str]:
        found = ((self._paths.parse(path), entry.oid) for path, entry in self.tree(commit).items())
        return {parsed.unit: blob for parsed, blob in found if parsed and parsed.role is FileRole.OBSERVED}

    def record(self, commit: str) -> StateRecord | None:
        """The state.yaml of a commit; None when there is no such file."""
        blob = self.find(commit, self._paths.state)
        return self.one(codec.STATE_RECORD, StoredFile(Origin(commit, self._paths.state), blob)) if blob else None

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
        observed = checkpoint.observed
        expected = observed.receipt.artifacts if observed.receipt else {}
        if observed.condition is not None or checkpoint.work is Work.TEARDOWN:
            # The artifacts of a receipt that was there before may be in state alone.
            expected = {name: wanted for name, wanted in expected.items() if name in files}
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
        return self._decode(wanted, self._plain([file]), file)

    def units(self, wanted: Codec[_T], files: Mapping[str, StoredFile]) -> dict[str, _T]:
        """Documents of units by unit name, each checked against its file's name and the environment."""
        documents = self._documents(wanted, self._plain(files.values()), files)
        for each in documents.values():
            document = each.observed if isinstance(each, Checkpoint) else each
            self._from_run_refs[id(document)] = document
        return documents

    def _plain(self, files: Iterable[StoredFile]) -> dict[str, dict[str, Any]]:
        """The plain data of files by blob, parsed only where the cache does not know the blob."""
        wanted = {each.blob: each.origin for each in files}
        known: dict[str, dict[str, Any]] = {
            blob: json.loads(data) for blob, data in self._cache.get_many(_NAMESPACE, wanted).items()
        }
        unknown = {blob: origin for blob, origin in wanted.items() if blob not in known}
        parsed = self._parsed(unknown)
        rows = {blob: json.dumps(value, separators=(",", ":")).encode() for blob, value in parsed.items()}
        self._cache.put_many(_NAMESPACE, rows)
        return {**known, **parsed}

    def _parsed(self, origins: Mapping[str, Origin]) -> dict[str, dict[str, Any]]:
        contents = self._objects.read_many(origins)
        return {blob: codec.parse(contents[blob], origin) for blob, origin in origins.items()}

    def _state_files(self, desired_commit: str, observed_commit: str) -> Files:
        trees = {commit: self.tree(commit) for commit in dict.fromkeys((desired_commit, observed_commit))}
        desired, observed = trees[desired_commit], trees[observed_commit]
        return state_files(self._paths, (desired_commit, desired), (observed_commit, observed))

    def tree(self, commit: str) -> Mapping[str, TreeEntry]:
        """The files of a commit below the state's folder, by path from the root."""
        below = self._paths.path
        if below and self.find(commit, below) is None:
            return {}
        return self._objects.tree(commit, below)

    def _documents(
        self, wanted: Codec[_T], plain: Mapping[str, dict[str, Any]], files: Mapping[str, StoredFile]
    ) -> dict[str, _T]:
        documents = {}
        for name, file in files.items():
            self._check_identity(plain[file.blob], name.rpartition(BESIDE)[2], file.origin)
            documents[name] = self._decode(wanted, plain, file)
        return documents

    def _decode(self, wanted: Codec[_T], plain: Mapping[str, dict[str, Any]], file: StoredFile) -> _T:
        return codec.decode(wanted, plain[file.blob], file.origin)

    def _check_identity(self, value: Mapping[str, Any], name: str, origin: Origin) -> None:
        """Whether a document belongs to the environment and, where it is a unit's, to the unit of its file."""
        unit = value.get("unit")
        if isinstance(unit, dict):
            check_environment(origin, unit.get("environment"), self._environment)
            check_unit(origin, unit.get("name"), name)
        elif "environment" in value:
            check_environment(origin, value["environment"], self._environment)

    def _verified(self, origin: Origin, blob: str | None, expected: str) -> Data:
        from nyl.core import yamlio

        if blob is None:
            raise corrupt(origin, "the receipt names this artifact and the file is not there")
        value: Data = yamlio.load_document(self._objects.read(blob), origin.path)
        if digest(value) != expected:
            raise corrupt(origin, "its content does not have the digest that the receipt names")
        return value
