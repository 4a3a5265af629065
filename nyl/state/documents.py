"""Documents of the state refs, as data. Their YAML forms and schemas are in `codec` and `schemas/`.

Every document keeps in `extra` the fields that a later minor version wrote beside those it knows.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from nyl.core.clock import Instant
from nyl.core.dataclass import dataclass
from nyl.state.lifecycles import Deletion, Hold, LifecycleState

Data = Mapping[str, Any]


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
    """What an environment wants of a unit: desired/units/<unit>.yaml.

    A unit without an incarnation has no uid; one that was held before it ever ran has no key ('') either.
    """

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
    deletion: Deletion | None = None
    """Set while the unit is deleted, and where a held one would be."""
    hold: Hold | None = None
    readiness: tuple[str, ...] = ()
    """What keeps a teardown of the unit from completing, one sentence each, as its kind told when it was resolved."""
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
    approval: Data | None = None
    """Who approved the execution, from where that is known, and whether it was reviewed."""
    extra: Data = field(default_factory=dict, hash=False)


class Work(StrEnum):
    """What a driver was asked to do with a unit."""

    EXECUTION = "execution"
    TEARDOWN = "teardown"


class ConditionState(StrEnum):
    """What stands in the way of a unit."""

    FAILED = "failed"
    UNCERTAIN = "uncertain"


@dataclass(frozen=True)
class Condition:
    """That the last execution or teardown of a unit failed, or that its outcome is unknown."""

    state: ConditionState
    run: str
    since: Instant
    reason: str
    execution_key: str
    category: str | None = None
    retryable: bool = False
    work: Work = Work.EXECUTION
    extra: Data = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class TeardownWait:
    """That a teardown was started and goes on later. `progress` is what the driver needs for that."""

    run: str
    since: Instant
    reason: str
    progress: Data = field(default_factory=dict)
    extra: Data = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Repair:
    """That an operator let the unit's own tool work on it while it was held, and no execution completed since."""

    by: str
    at: Instant
    command: tuple[str, ...]
    """The arguments of the tool as they were typed, admitted secrets masked."""
    reason: str = ""
    extra: Data = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class ObservedUnit:
    """What is known of a unit: observed/units/<unit>.yaml."""

    unit: UnitIdentity
    receipt: Receipt | None = None
    condition: Condition | None = None
    teardown: TeardownWait | None = None
    repair: Repair | None = None
    """The latest one. A receipt of a later execution comes without it."""
    extra: Data = field(default_factory=dict, hash=False)


class ObservationType(StrEnum):
    """What a verification tells of a unit; each has a file of its own."""

    DRIFT = "drift"
    HEALTH = "health"
    ATTESTATIONS = "attestations"


@dataclass(frozen=True)
class Observation:
    """The latest finding of a verification about a receipt: observed/units/<unit>/observations/<type>.yaml."""

    unit: UnitIdentity
    type: ObservationType
    status: str
    """drift: `drifted` or `clean`; health and attestations: as the driver reports it."""
    run: str
    at: Instant
    execution_key: str
    """The key of the receipt that was looked at."""
    detail: str = ""
    data: Data = field(default_factory=dict)
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
    moved: Data | None = None
    """Where the state went, when, and who moved it: the marker that sends old runners on."""
    extra: Data = field(default_factory=dict, hash=False)
