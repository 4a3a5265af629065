"""Holds that arrived while a run's transition was on its way: another transition of the run records them."""

from collections.abc import Mapping
from dataclasses import replace

from nyl.core.clock import Clock
from nyl.engine.holds import Declared, held_anyway
from nyl.engine.summary import RunDescription, headline, summary, trailers
from nyl.state.changes import Consumption, Transition
from nyl.state.ending import Released
from nyl.state.lifecycles import Hold
from nyl.state.session import Session
from nyl.state.snapshot import StateSnapshot


def let_go(
    session: Session, run: RunDescription, clock: Clock, consumes: Consumption, kinds: Mapping[str, tuple[str, str]]
) -> Released:
    """Lets go of the environment, after recording the holds that arrived meanwhile.

    `consumes` are the refs of dead runs that go even where the run had nothing to write. `kinds` are those of the
    units that source declares.
    """
    released = session.release(consumes)
    while not released.ended:
        described = replace(run, evaluated_at=clock.now())
        transition = late_holds_transition(session.snapshot, released.late_holds, described, kinds)
        if not transition.empty:
            session.commit(transition)
        released = session.release()
    return released


def late_holds_transition(
    snapshot: StateSnapshot, holds: Mapping[str, Hold], run: RunDescription, kinds: Mapping[str, tuple[str, str]]
) -> Transition:
    """The units that are held from now on, as the state has them. Empty where all of them are held already.

    `kinds` are those of the units that source declares, for a unit that has no incarnation.
    """
    declared = Declared(run.source_commit, kinds)
    documents = {
        unit: held_anyway(run.environment, unit, snapshot.desired.get(unit), hold, declared)
        for unit, hold in sorted(holds.items())
    }
    changed = {unit: each for unit, each in documents.items() if snapshot.desired.get(unit) is not each}
    return Transition(
        headline(run.operation, run.environment, ()),
        summary((), (), (), {"held": sorted(changed)}),
        trailers(run),
        desired=changed,
    )
