"""What a run asks the state store to write."""

from collections.abc import Mapping
from dataclasses import field

from nyl.core.clock import Instant
from nyl.core.dataclass import dataclass
from nyl.state.coordination_documents import Checkpoint
from nyl.state.documents import (
    Data,
    DesiredUnit,
    EnvironmentRecord,
    Observation,
    ObservationType,
    ObservedUnit,
    StateRecord,
)


@dataclass(frozen=True)
class Batch:
    """One push to the run ref: results of units that finished, and start records of the next.

    The run record's executing list becomes what it was, less `checkpoints` and `withdrawn`, plus `starting`.
    """

    checkpoints: Mapping[str, Checkpoint] = field(default_factory=dict)
    starting: Mapping[str, DesiredUnit] = field(default_factory=dict)
    deadline: Instant | None = None
    """The deadline moves to this unless it is later already."""
    withdrawn: frozenset[str] = frozenset()
    """Units whose start was recorded and that will not start after all."""
    approvals: Mapping[str, Data] = field(default_factory=dict)
    """Unit among `starting` -> the record of the approval that it starts with."""


@dataclass(frozen=True)
class Consumption:
    """The refs of dead runs that go with a transition: what they held is in it, or is kept as evidence."""

    runs: frozenset[str] = frozenset()
    """Runs whose results the transition imports: their run and signals refs go."""
    retired: frozenset[str] = frozenset()
    """Those of `runs` whose run ref becomes an evidence ref, because an uncertain unit may need its checkpoints."""
    evidence: frozenset[str] = frozenset()
    """Evidence refs that nothing needs any more."""


@dataclass(frozen=True)
class Transition:
    """One run's change of the state refs: whole documents by unit name, and how to tell it."""

    headline: str
    summary: Mapping[str, object]
    """Ordered. `units` prints as a block with one line of JSON a unit, anything else as one line."""
    trailers: Mapping[str, str]
    """Ordered, without those of the commits that were read, which the store adds."""
    environment: EnvironmentRecord | None = None
    desired: Mapping[str, DesiredUnit | None] = field(default_factory=dict)
    """None for a document that goes."""
    observed: Mapping[str, ObservedUnit | None] = field(default_factory=dict)
    """None for a document that goes, with its artifacts and observations."""
    artifacts: Mapping[str, Mapping[str, Data]] = field(default_factory=dict)
    """Unit -> artifact name -> document, for every unit of `observed` whose receipt is new."""
    observations: Mapping[str, Mapping[ObservationType, Observation | None]] = field(default_factory=dict)
    """Unit -> what a verification found, or None for an observation that goes."""
    announces: bool = False
    """Whether the message tells something, such as a broken lease, that is recorded even where no file changes."""
    consumes: Consumption = Consumption()
    record: StateRecord | None = None
    """The new state.yaml, where it changes."""
    ends: bool = False
    """That the environment's state ends: every file of it goes, and its history stays."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to write."""
        documents = self.environment or self.desired or self.observed or self.observations
        return not (documents or self.announces or self.record or self.ends)


@dataclass(frozen=True)
class Landed:
    """The state refs after a transition. None where a ref was not written."""

    desired: str | None
    observed: str | None
