"""The refs that runs coordinate over, as one fetch finds them, read only where they are not known already."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import field, replace

from nyl.core.dataclass import dataclass
from nyl.git.objects import ObjectReader
from nyl.state import codec
from nyl.state.codec import Origin, check_environment, check_unit, corrupt
from nyl.state.coordination_documents import Lease, LeaseState
from nyl.state.damage import DeleteCommand, naming
from nyl.state.lifecycles import Hold
from nyl.state.paths import LEASE_FILE, RUN_FILE, file_stem, name_of_stem
from nyl.state.reading import DocumentReader
from nyl.state.refs import RunRefKind, StateRefs
from nyl.state.snapshot import RunRef
from nyl.state.state_files import StoredFile


@dataclass(frozen=True)
class Sighting:
    """What one fetch found: every ref that `StateRefs.patterns` asks for, by name."""

    refs: StateRefs
    commits: Mapping[str, str] = field(default_factory=dict)

    def at(self, ref: str) -> str | None:
        """The commit of a ref; None where it is absent."""
        return self.commits.get(ref)

    @property
    def lease(self) -> str | None:
        """The commit of the lease ref."""
        return self.at(self.refs.lease)

    def of_runs(self, kind: RunRefKind) -> dict[str, str]:
        """Run -> commit, for the run or signals refs."""
        found = ((self.refs.parse_run(ref), commit) for ref, commit in self.commits.items())
        return {parsed[1]: commit for parsed, commit in found if parsed and parsed[0] is kind}


class CoordinationReader:
    """Reads leases, run refs and signals. Errors: NYL-STATE-CORRUPT and NYL-STATE-VERSION, with file and commit."""

    def __init__(
        self, objects: ObjectReader, documents: DocumentReader, refs: StateRefs, delete: DeleteCommand
    ) -> None:
        self._objects = objects
        self._documents = documents
        self._refs = refs
        self._delete = delete

    def lease(self, commit: str) -> Lease:
        """The lease at a commit of the lease ref."""
        with self._naming(self._refs.lease, commit):
            lease = self._documents.one(codec.LEASE, self._file(commit, LEASE_FILE))
            check_environment(Origin(commit, LEASE_FILE), lease.environment, self._refs.environment)
            return lease

    def run(self, run: str, commit: str) -> RunRef:
        """Everything on a run ref."""
        with self._naming(self._refs.run(run), commit):
            return self._run(run, commit)

    def kept(self, run: str, commit: str) -> RunRef:
        """Everything on an evidence ref."""
        with self._naming(self._refs.evidence(run), commit):
            return self._run(run, commit)

    def _run(self, run: str, commit: str) -> RunRef:
        files = self._files(commit)
        origin = Origin(commit, RUN_FILE)
        if RUN_FILE not in files:
            raise corrupt(origin, f"{self._refs.run(run)} holds no such file")
        record = self._documents.one(codec.RUN, files[RUN_FILE])
        check_environment(origin, record.environment, self._refs.environment)
        if record.run != run:
            raise corrupt(origin, f"it is the record of run {record.run}, not of {run}")
        desired = self._documents.units(codec.DESIRED_UNIT, _stems(files, "desired/units/"))
        checkpoints = self._documents.units(codec.CHECKPOINT, _stems(files, "checkpoints/"))
        stored = _artifacts(files)
        for unit, checkpoint in checkpoints.items():
            beside = stored.get(file_stem(unit), {})
            artifacts = self._documents.checkpoint_artifacts(checkpoint, beside, commit)
            checkpoints[unit] = replace(checkpoint, artifacts=artifacts)
        return RunRef(commit, record, desired, checkpoints)

    def runs(self, sighting: Sighting, known: Mapping[str, RunRef]) -> dict[str, RunRef]:
        """Every run ref; those whose commit is known are not read again."""
        found = {}
        for run, commit in sighting.of_runs(RunRefKind.RUNS).items():
            before = known.get(run)
            found[run] = before if before and before.commit == commit else self.run(run, commit)
        return found

    def evidence(self, sighting: Sighting) -> Mapping[str, RunRef]:
        """What the evidence refs keep; each is read when somebody looks at it."""
        return Evidence(self, sighting.of_runs(RunRefKind.EVIDENCE))

    def unrecorded_holds(
        self, signals: Mapping[str, str], lease: Lease | None, alive: Iterable[str]
    ) -> dict[str, dict[str, Hold]]:
        """Run -> the holds that it was sent and that no transition recorded, for runs that are not `alive`.

        `signals` are the signals refs by run.
        """
        heard = lease.heard if lease and lease.state is LeaseState.LANDED else {}
        wanted = {run: at for run, at in signals.items() if run not in set(alive) and heard.get(run) != at}
        return {run: holds for run, at in wanted.items() if (holds := self.holds(run, at))}

    def holds(self, run: str, commit: str) -> dict[str, Hold]:
        """The holds on the signals ref of a run, by unit."""
        with self._naming(self._refs.signals(run), commit):
            return self._holds(commit)

    def _holds(self, commit: str) -> dict[str, Hold]:
        files = _stems(self._files(commit), "holds/")
        holds = {}
        for unit, file in files.items():
            signal = self._documents.one(codec.SIGNAL, file)
            check_environment(file.origin, signal.environment, self._refs.environment)
            check_unit(file.origin, signal.unit, unit)
            holds[unit] = signal.hold
        return holds

    def _naming(self, ref: str, commit: str) -> AbstractContextManager[None]:
        return naming(self._refs, ref, commit, self._delete)

    def _files(self, commit: str) -> dict[str, StoredFile]:
        if self._objects.resolve(commit) is None and self._objects.resolve(commit, "") is not None:
            raise corrupt(Origin(commit, RUN_FILE), "it is no commit")
        tree = self._objects.tree(commit)
        return {path: StoredFile(Origin(commit, path), entry.oid) for path, entry in tree.items()}

    def _file(self, commit: str, path: str) -> StoredFile:
        blob = self._documents.find(commit, path)
        if blob is None:
            raise corrupt(Origin(commit, path), "there is no such file")
        return StoredFile(Origin(commit, path), blob)


class Evidence(Mapping[str, RunRef]):
    """Evidence refs by run. What one holds is read when somebody looks at it: most commands never do."""

    def __init__(self, reader: CoordinationReader, commits: Mapping[str, str]) -> None:
        self._reader = reader
        self._known: dict[str, RunRef] = {}
        self.commits = dict(commits)
        """Run -> where its evidence ref is."""

    def __getitem__(self, run: str) -> RunRef:
        """What the evidence ref of a run keeps. Raises NYL-STATE-CORRUPT and NYL-STATE-VERSION."""
        if run not in self._known:
            self._known[run] = self._reader.kept(run, self.commits[run])
        return self._known[run]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.commits))

    def __len__(self) -> int:
        return len(self.commits)


def _stems(files: Mapping[str, StoredFile], folder: str) -> dict[str, StoredFile]:
    """The YAML files directly in a folder, by the name that their file names stand for."""
    found = {}
    for path, file in files.items():
        stem = path.removeprefix(folder).removesuffix(".yaml")
        if path == f"{folder}{stem}.yaml" and "/" not in stem:
            name = name_of_stem(stem)
            if name is not None:
                found[name] = file
    return found


def _artifacts(files: Mapping[str, StoredFile]) -> dict[str, dict[str, StoredFile]]:
    """The artifacts of the checkpoints on a run ref, by the file stem of the unit and by artifact name."""
    found: dict[str, dict[str, StoredFile]] = {}
    for path, file in files.items():
        match path.removesuffix(".yaml").split("/"):
            case ["checkpoints", unit, "artifacts", stem] if path.endswith(".yaml"):
                name = name_of_stem(stem)
                if name is not None:
                    found.setdefault(unit, {})[name] = file
    return found
