"""Commits of state, lease and run refs as the commit writer takes them."""

from collections.abc import Mapping, Sequence

from nyl.core.clock import Instant
from nyl.core.dataclass import dataclass
from nyl.git.commits import CommitSpec
from nyl.git.config import Identity
from nyl.state import codec
from nyl.state.changes import Batch, Transition
from nyl.state.coordination_documents import Checkpoint, Lease, Run
from nyl.state.paths import LEASE_FILE, RUN_FILE, StatePaths, run_artifact, run_checkpoint, run_desired
from nyl.state.snapshot import StateSnapshot
from nyl.state.transitions import RUN_ID

FileChanges = dict[str, bytes | None]
"""Path -> new content, or None for a file that goes."""


@dataclass(frozen=True)
class Committer:
    """Who commits, and the time that goes into every commit."""

    identity: Identity
    at: Instant

    def spec(
        self,
        message: str,
        changes: Mapping[str, bytes | None],
        parents: Sequence[str] = (),
        from_nothing: bool = False,
    ) -> CommitSpec:
        """A commit that changes some files of its first parent; `from_nothing` it has only these files."""
        return CommitSpec(
            message=message.encode(),
            identity=self.identity,
            seconds=self.at.epoch_seconds,
            parents=tuple(parents),
            changes=changes,
            from_nothing=from_nothing,
        )

    def lease(self, lease: Lease, parents: Sequence[str] = ()) -> CommitSpec:
        """The next commit of the lease ref."""
        message = f"nyl: lease of {lease.environment}: {lease.state.value}\n\n{RUN_ID}: {lease.run}\n"
        return self.spec(message, {LEASE_FILE: codec.encode_short(codec.LEASE, lease)}, parents)

    def run(self, run: Run, changes: Mapping[str, bytes | None], parents: Sequence[str] = ()) -> CommitSpec:
        """The next commit of a run ref."""
        message = f"nyl: run of {run.environment}: {run.state.value}\n\n{RUN_ID}: {run.run}\n"
        return self.spec(message, {RUN_FILE: codec.encode_short(codec.RUN, run), **changes}, parents)

    def first_run(self, run: Run, archive: Sequence[str]) -> CommitSpec:
        """The first commit of a run ref, whose parents are only there to be kept."""
        record = {RUN_FILE: codec.encode_short(codec.RUN, run)}
        return self.spec(f"nyl: run of {run.environment}\n\n{RUN_ID}: {run.run}\n", record, archive, True)


def batch_files(batch: Batch) -> FileChanges:
    """The files that a batch puts on the run ref, beside the run's record."""
    files: FileChanges = {}
    for unit, document in batch.starting.items():
        files[run_desired(unit)] = codec.encode(codec.DESIRED_UNIT, document)
    for unit, checkpoint in batch.checkpoints.items():
        files.update(_checkpoint_files(unit, checkpoint))
    return files


def record_files(paths: StatePaths, transition: Transition) -> FileChanges:
    """The files of a transition that belong on both state refs."""
    record = transition.record
    return {paths.state: codec.encode(codec.STATE_RECORD, record)} if record is not None else {}


def desired_files(paths: StatePaths, transition: Transition) -> FileChanges:
    """The files of a transition that belong on the desired ref."""
    files: FileChanges = {}
    if transition.environment is not None:
        files[paths.environment] = codec.encode(codec.ENVIRONMENT_RECORD, transition.environment)
    for unit, document in transition.desired.items():
        files[paths.desired(unit)] = codec.encode(codec.DESIRED_UNIT, document) if document else None
    return files


def observed_files(paths: StatePaths, transition: Transition, snapshot: StateSnapshot) -> FileChanges:
    """The files of a transition that belong on the observed ref; artifacts that a new receipt no longer has go.

    With an observed document that goes, everything beside it goes.

    Raises ValueError for a receipt whose artifacts are neither in the transition nor stored already.
    """
    files: FileChanges = {}
    for unit, found in transition.observations.items():
        for kind, observation in found.items():
            content = codec.encode(codec.OBSERVATION, observation) if observation else None
            files[paths.observation(unit, kind.value)] = content
    for unit, document in transition.observed.items():
        if document is None:
            files |= {paths.observed(unit): None, paths.beside(unit): None}
            continue
        files[paths.observed(unit)] = codec.encode(codec.OBSERVED_UNIT, document)
        before = snapshot.observed.get(unit)
        stored = before.receipt.artifacts if before and before.receipt else {}
        named = document.receipt.artifacts if document.receipt else {}
        given = transition.artifacts.get(unit, {})
        for name in stored.keys() - named.keys():
            files[paths.artifact(unit, name)] = None
        for name, digest in named.items():
            if name in given:
                files[paths.artifact(unit, name)] = _artifact_bytes(given[name])
            elif stored.get(name) != digest:
                raise ValueError(f"the transition lacks artifact {name} of {unit}")
    return files


def _artifact_bytes(value: object) -> bytes:
    """The YAML file of an artifact."""
    from nyl.core import yamlio

    return yamlio.dump(value).encode()


def _checkpoint_files(unit: str, checkpoint: Checkpoint) -> FileChanges:
    files: FileChanges = {run_checkpoint(unit): codec.encode(codec.CHECKPOINT, checkpoint)}
    for name, value in checkpoint.artifacts.items():
        files[run_artifact(unit, name)] = _artifact_bytes(value)
    return files
