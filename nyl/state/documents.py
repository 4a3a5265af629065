"""State documents as data. Their YAML forms and schemas are in `codec` and `schemas/`.

Every document keeps in `extra` the fields that a later minor version wrote beside those it knows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from nyl.core.clock import Instant

Data = Mapping[str, Any]


class LifecycleState(StrEnum):
    """Where an incarnation stands."""

    ACTIVE = "active"
    DELETING = "deleting"
    HELD = "held"
    RETAINED = "retained"


@dataclass(frozen=True)
class UnitIdentity:
    """Which incarnation of which unit a document is about."""

    environment: str
    name: str
    uid: str | None
    api_version: str
    kind: str
    extra: Data = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Provenance:
    """Where a referenced value came from: a producer's receipt, as read from state or from this run."""

    unit: str
    uid: str
    execution_key: str
    environment: str | None = None
    """Set for a producer of another environment."""
    observed_commit: str | None = None
    run: str | None = None
    extra: Data = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class InputFile:
    """A file that entered the key. `source` is the pointer of the source field, '' for S."""

    path: str
    digest: str
    executable: bool = False
    source: str = ""
    extra: Data = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class SourceRecord:
    """What a source field resolved to."""

    commit: str
    path: str
    repository: str | None = None
    extra: Data = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class InputRecord:
    """Everything beside the spec that entered the key."""

    files: tuple[InputFile, ...] = ()
    sources: Mapping[str, SourceRecord] = field(default_factory=dict)
    fingerprint: str | None = None
    """Digest of the fingerprint's output."""
    variables: tuple[str, ...] = ()
    """Names of the variables the unit may read."""
    extra: Data = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class DesiredUnit:
    """What an environment wants of a unit: desired/units/<unit>.yaml."""

    unit: UnitIdentity
    lifecycle: LifecycleState
    source_commit: str
    source_revision: str
    spec: Data
    resolved_spec: Data
    execution_key: str
    inputs: InputRecord
    provenance: Mapping[str, Provenance] = field(default_factory=dict)
    """Pointer of the reference in the spec -> the receipt it read."""
    hold: Data | None = None
    """Who held the unit, when, why, and `pending`: what source would change."""
    extra: Data = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Receipt:
    """That an execution completed, and what it gave."""

    execution_key: str
    behavior_version: int
    run: str
    read_desired: str
    """Commit of the desired ref that the run had read."""
    started_at: Instant
    finished_at: Instant
    nyl_version: str
    versions: Mapping[str, str] = field(default_factory=dict)
    """Tools the driver reported."""
    provenance: Mapping[str, Provenance] = field(default_factory=dict)
    outputs: Data = field(default_factory=dict)
    artifacts: Mapping[str, str] = field(default_factory=dict)
    """Artifact name -> digest of its document, which is stored beside the receipt."""
    extra: Data = field(default_factory=dict, hash=False)


class ConditionState(StrEnum):
    """What stands in the way of a unit."""

    FAILED = "failed"
    UNCERTAIN = "uncertain"


@dataclass(frozen=True)
class Condition:
    """That the last execution of a unit failed, or that its outcome is unknown."""

    state: ConditionState
    run: str
    since: Instant
    reason: str
    execution_key: str
    category: str | None = None
    retryable: bool = False
    extra: Data = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class ObservedUnit:
    """What is known of a unit: observed/units/<unit>.yaml."""

    unit: UnitIdentity
    receipt: Receipt | None = None
    condition: Condition | None = None
    extra: Data = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class EnvironmentRecord:
    """The environment as the last transition resolved it: desired/environment.yaml."""

    environment: str
    source_commit: str
    ownership: tuple[str, ...]
    """Names of the units in the ownership set, sorted."""
    document: Data
    """The resolved Environment resource."""
    extra: Data = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class StateRecord:
    """That state lives here, and since when: state.yaml."""

    environment: str
    initialized_at: Instant
    initialized_by: str
    location: Data
    """Repository, refs and path the state was initialised at."""
    events: tuple[Data, ...] = ()
    extra: Data = field(default_factory=dict, hash=False)


class LeaseState(StrEnum):
    """Whether a lease holds its environment."""

    HELD = "held"
    LANDED = "landed"
    FINISHED = "finished"
    BROKEN = "broken"


@dataclass(frozen=True)
class Lease:
    """Who holds an environment, until when: lease.yaml on the lease ref."""

    environment: str
    run: str
    operation: str
    runner: str
    nonce: str
    state: LeaseState
    taken_at: Instant
    deadline: Instant
    executing: tuple[str, ...] = ()
    broken: Data | None = None
    """Who broke it: `by`, `at`, `reason`."""
    taken_over: tuple[Data, ...] = ()
    extra: Data = field(default_factory=dict, hash=False)


class RunState(StrEnum):
    """Whether a run's process still works."""

    RUNNING = "running"
    FINISHED = "finished"


@dataclass(frozen=True)
class Run:
    """What a run is doing: run.yaml on its run ref."""

    environment: str
    run: str
    operation: str
    runner: str
    state: RunState
    source_commit: str
    started_at: Instant
    deadline: Instant
    executing: Mapping[str, str] = field(default_factory=dict)
    """Unit -> the execution key it runs with."""
    extra: Data = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Checkpoint:
    """How one execution of a run ended: checkpoints/<unit>.yaml on the run ref."""

    observed: ObservedUnit
    artifacts: Mapping[str, Data] = field(default_factory=dict)
    effects: bool = True
    """Whether the unit may have had effects."""
