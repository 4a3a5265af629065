"""Holds that arrived while a run's transition was on its way: another transition of the run records them."""

from collections.abc import Mapping

from nyl.core.clock import Instant
from nyl.engine.recording import RunFacts, held_document
from nyl.engine.summary import RunDescription, headline, summary, trailers
from nyl.state.changes import Transition
from nyl.state.lifecycles import Hold
from nyl.state.snapshot import StateSnapshot


def late_holds_transition(
    snapshot: StateSnapshot, holds: Mapping[str, Hold], facts: RunFacts, runner: str, at: Instant
) -> Transition:
    """The units that are held from now on, as the state has them. Empty where it has none of them."""
    known = {unit: snapshot.desired[unit] for unit in sorted(holds) if unit in snapshot.desired}
    description = RunDescription(facts.environment, facts.run, facts.source_commit, runner, at)
    return Transition(
        headline(facts.environment, ()),
        summary((), {"held": sorted(known)}),
        trailers(description),
        desired={unit: held_document(document, holds[unit]) for unit, document in known.items()},
    )
