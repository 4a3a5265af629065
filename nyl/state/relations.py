"""Whether the documents of a state fit together: the rules that `nyl state check` holds them against."""

from collections.abc import Iterator

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.state.codec import Origin, corrupt
from nyl.state.documents import DesiredUnit, Observation, ObservationType, ObservedUnit, Work
from nyl.state.lifecycles import LifecycleState


@dataclass(frozen=True)
class Placed:
    """A document that could be read, the unit that its file is named after, and the name of its own beside it."""

    unit: str
    name: str
    origin: Origin
    document: object


def relation_problems(placed: list[Placed]) -> Iterator[NylError]:
    """Everything about lifecycles, uids, conditions and observations that does not fit.

    A producer may be gone from the state: its consumers keep what they read of it until they run again.
    """
    desired = {each.unit: each.document for each in placed if isinstance(each.document, DesiredUnit)}
    observed = {each.unit: each.document for each in placed if isinstance(each.document, ObservedUnit)}
    uids: dict[str, str] = {}
    for each in placed:
        if isinstance(each.document, DesiredUnit):
            yield from _desired_problems(each.origin, each.document, uids)
            yield from _lifecycle_problems(each.origin, each.document)
        if isinstance(each.document, ObservedUnit):
            yield from _observed_problems(each.origin, each.document, desired.get(each.unit))
        if isinstance(each.document, Observation):
            yield from _observation_problems(each, each.document, observed.get(each.unit))


def _desired_problems(origin: Origin, document: DesiredUnit, uids: dict[str, str]) -> Iterator[NylError]:
    """`uids` are those met so far, with their units."""
    name, uid = document.unit.name, document.unit.uid
    if uid is not None and uids.setdefault(uid, name) != name:
        yield corrupt(origin, f"unit {uids[uid]} has the same uid {uid}")
    if uid is not None and not document.execution_key:
        yield corrupt(origin, "it has an incarnation and no execution key")


def _lifecycle_problems(origin: Origin, document: DesiredUnit) -> Iterator[NylError]:
    state = document.lifecycle
    if (document.hold is not None) != (state is LifecycleState.HELD):
        yield corrupt(origin, f"its lifecycle is {state}, and a hold stands where and only where it is held")
    if document.deletion is not None and state not in (LifecycleState.DELETING, LifecycleState.HELD):
        yield corrupt(origin, f"its lifecycle is {state}, and it has a deletion")
    if document.deletion is None and state is LifecycleState.DELETING:
        yield corrupt(origin, "it is deleting and does not say why")
    if document.unit.uid is None and state in (LifecycleState.DELETING, LifecycleState.RETAINED):
        yield corrupt(origin, f"it is {state} and has no incarnation")


def _observed_problems(origin: Origin, document: ObservedUnit, desired: DesiredUnit | None) -> Iterator[NylError]:
    if desired is None:
        yield corrupt(origin, "there is no desired document of this unit")
        return
    if desired.unit.uid != document.unit.uid:
        yield corrupt(origin, f"its uid is {document.unit.uid}, and {desired.unit.uid} is desired")
    if document.unit.uid is None and document.receipt is not None:
        yield corrupt(origin, "it has a receipt and no incarnation")
    if document.unit.uid is None and document.repair is not None:
        yield corrupt(origin, "it tells of a repair and has no incarnation")
    torn_down = document.condition is not None and document.condition.work is Work.TEARDOWN
    if (torn_down or document.teardown is not None) and desired.deletion is None:
        yield corrupt(origin, "it tells of a teardown of a unit that is not deleted")


def _observation_problems(placed: Placed, found: Observation, observed: ObservedUnit | None) -> Iterator[NylError]:
    receipt = observed.receipt if observed else None
    if found.type.value != placed.name:
        yield corrupt(placed.origin, f"it is about {found.type}, which its file name does not say")
    if observed is None or receipt is None:
        yield corrupt(placed.origin, "there is no receipt that it could be about")
    elif observed.unit.uid != found.unit.uid:
        yield corrupt(placed.origin, f"it is about the incarnation {found.unit.uid}, not {observed.unit.uid}")
    elif found.type is ObservationType.DRIFT and found.execution_key != receipt.execution_key:
        yield corrupt(placed.origin, "it is about another receipt than the one beside it")
