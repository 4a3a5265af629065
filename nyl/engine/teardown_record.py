"""What the deletions of a run came to."""

from dataclasses import dataclass, field

from nyl.core.diagnostics import NylError
from nyl.engine.results import LeavingEffect
from nyl.engine.teardown_decision import TeardownDecision
from nyl.state.coordination_documents import Checkpoint
from nyl.state.documents import DesiredUnit


@dataclass
class TeardownRecord:
    """What the deletions of a run came to, for its report and transition."""

    decisions: dict[str, TeardownDecision] = field(default_factory=dict)
    effects: dict[str, LeavingEffect] = field(default_factory=dict)
    """What becomes of those units."""
    documents: dict[str, DesiredUnit] = field(default_factory=dict)
    """The last documents of the units that were decided on, which may be gone by now."""
    retained: dict[str, object] = field(default_factory=dict)
    released: dict[str, object] = field(default_factory=dict)
    allowed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Units that were torn down although these use them."""
    incomplete: dict[str, str] = field(default_factory=dict)
    confirmed: dict[str, str] = field(default_factory=dict)
    """How the teardowns that waited came to their ends."""
    errors: dict[str, NylError] = field(default_factory=dict)

    def note_end(self, name: str, ended: Checkpoint) -> None:
        """Notes what is recorded of a teardown that is complete."""
        if ended.confirmed:
            self.confirmed[name] = ended.confirmed
        if ended.incomplete:
            self.incomplete[name] = ended.incomplete
