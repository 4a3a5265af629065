"""An immutable reading of one environment's state."""

from collections.abc import Mapping
from dataclasses import field

from nyl.core.dataclass import dataclass
from nyl.state.coordination_documents import Checkpoint, Lease, Run
from nyl.state.documents import DesiredUnit, EnvironmentRecord, Observation, ObservationType, ObservedUnit, StateRecord
from nyl.state.lifecycles import Hold


@dataclass(frozen=True)
class RunRef:
    """What a run ref held when it was read."""

    commit: str
    record: Run
    desired: Mapping[str, DesiredUnit] = field(default_factory=dict)
    checkpoints: Mapping[str, Checkpoint] = field(default_factory=dict)


@dataclass(frozen=True)
class StateSnapshot:
    """Everything a decision may look at. The commits are those of the two state refs as read."""

    environment: str
    desired_commit: str
    observed_commit: str
    record: StateRecord
    environment_record: EnvironmentRecord | None = None
    """None until the first transition."""
    desired: Mapping[str, DesiredUnit] = field(default_factory=dict)
    observed: Mapping[str, ObservedUnit] = field(default_factory=dict)
    lease: Lease | None = None
    lease_commit: str | None = None
    runs: Mapping[str, RunRef] = field(default_factory=dict)
    holds: Mapping[str, Hold] = field(default_factory=dict)
    """Holds that were sent to the reading run."""
    dead_holds: Mapping[str, Hold] = field(default_factory=dict)
    """Holds that were sent to runs that ended without recording them: whoever imports those applies them."""
    evidence: Mapping[str, RunRef] = field(default_factory=dict)
    """Evidence refs: run -> what it checkpointed, kept for uncertain units."""
    observations: Mapping[str, Mapping[ObservationType, Observation]] = field(default_factory=dict)
    """Unit -> the latest findings about its receipt."""
