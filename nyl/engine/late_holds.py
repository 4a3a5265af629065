"""Holds that arrived while a run's transition was on its way: another transition of the run records them."""

from collections.abc import Mapping
from dataclasses import replace

from nyl.core.clock import Clock
from nyl.engine.holds import held
from nyl.engine.summary import RunDescription, headline, summary, trailers
from nyl.state.changes import Consumption, Transition
from nyl.state.ending import Released
from nyl.state.lifecycles import Hold
from nyl.state.session import Session
from nyl.state.snapshot import StateSnapshot


def let_go(session: Session, run: RunDescription, clock: Clock, consumes: Consumption) -> Released:
    """Lets go of the environment, after recording the holds that arrived meanwhile.

    `consumes` are the refs of dead runs that go even where the run had nothing to write.
    """
    released = session.release(consumes)
    while not released.ended:
        described = replace(run, evaluated_at=clock.now())
        transition = late_holds_transition(session.snapshot, released.late_holds, described)
        if not transition.empty:
            session.commit(transition)
        released = session.release()
    return released


def late_holds_transition(snapshot: StateSnapshot, holds: Mapping[str, Hold], run: RunDescription) -> Transition:
    """The units that are held from now on, as the state has them. Empty where it has none of them."""
    known = {unit: snapshot.desired[unit] for unit in sorted(holds) if unit in snapshot.desired}
    return Transition(
        headline(run.operation, run.environment, ()),
        summary((), (), (), {"held": sorted(known)}),
        trailers(run),
        desired={unit: held(document, holds[unit]) for unit, document in known.items()},
    )
