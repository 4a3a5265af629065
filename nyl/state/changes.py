"""What a run asks the state store to write."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from nyl.core.clock import Instant
from nyl.state.documents import Checkpoint, Data, DesiredUnit, EnvironmentRecord, ObservedUnit


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


@dataclass(frozen=True)
class Transition:
    """One run's change of the state refs: whole documents by unit name, and how to tell it."""

    headline: str
    summary: Mapping[str, object]
    """Ordered. `units` prints as a block with one line of JSON a unit, anything else as one line."""
    trailers: Mapping[str, str]
    """Ordered, without those of the commits that were read, which the store adds."""
    environment: EnvironmentRecord | None = None
    desired: Mapping[str, DesiredUnit] = field(default_factory=dict)
    observed: Mapping[str, ObservedUnit] = field(default_factory=dict)
    artifacts: Mapping[str, Mapping[str, Data]] = field(default_factory=dict)
    """Unit -> artifact name -> document, for every unit of `observed` whose receipt is new."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to write."""
        return not (self.environment or self.desired or self.observed)


@dataclass(frozen=True)
class Landed:
    """The state refs after a transition. None where a ref was not written."""

    desired: str | None
    observed: str | None
