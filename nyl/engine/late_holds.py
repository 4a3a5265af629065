"""Holds that arrived while a run's transition was on its way: another transition of the run records them."""

from collections.abc import Mapping

from nyl.engine.recording import held_document
from nyl.engine.summary import RunDescription, headline, summary, trailers
from nyl.state.changes import Transition
from nyl.state.lifecycles import Hold
from nyl.state.snapshot import StateSnapshot


def late_holds_transition(snapshot: StateSnapshot, holds: Mapping[str, Hold], run: RunDescription) -> Transition:
    """The units that are held from now on, as the state has them. Empty where it has none of them."""
    known = {unit: snapshot.desired[unit] for unit in sorted(holds) if unit in snapshot.desired}
    return Transition(
        headline(run.operation, run.environment, ()),
        summary((), (), (), {"held": sorted(known)}),
        trailers(run),
        desired={unit: held_document(document, holds[unit]) for unit, document in known.items()},
    )
