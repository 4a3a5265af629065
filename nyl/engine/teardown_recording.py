"""What a run records of teardowns that ended."""

from nyl.core.clock import Instant
from nyl.engine.outcomes import Ended
from nyl.engine.recording import RunFacts, condition_checkpoint
from nyl.state.coordination_documents import Checkpoint
from nyl.state.documents import Data, DesiredUnit, ObservedUnit, TeardownWait, Work
from nyl.units.outcomes import Failed, Removed, Uncertain, Waiting


def teardown_checkpoint(facts: RunFacts, ended: Ended, recorded: ObservedUnit | None) -> Checkpoint:
    """How a teardown ended. Unless it is complete the receipt stays, and what the driver needs to go on."""
    document, outcome = ended.started.document, ended.outcome
    receipt = recorded.receipt if recorded else None
    before = recorded.teardown if recorded else None
    match outcome:
        case Removed():
            known = ObservedUnit(document.unit, receipt)
            incomplete = "; ".join(each for each in (*document.readiness, outcome.incomplete) if each)
            confirmed = outcome.confirmed or _confirmed_by(document)
            return Checkpoint(known, work=Work.TEARDOWN, removed=True, incomplete=incomplete, confirmed=confirmed)
        case Waiting():
            wait = _wait(facts, outcome, before, ended.ended_at)
            return Checkpoint(ObservedUnit(document.unit, receipt, teardown=wait), work=Work.TEARDOWN)
        case Failed() | Uncertain():
            return condition_checkpoint(facts, document, outcome, recorded, ended.ended_at, Work.TEARDOWN)
        case _:
            raise AssertionError(f"no teardown ends as {outcome!r}")


def _wait(facts: RunFacts, outcome: Waiting, before: TeardownWait | None, now: Instant) -> TeardownWait:
    """The wait as it is now. One that came no further stays as it was, so that the run writes nothing of it."""
    if before is not None and (before.reason, before.progress) == (outcome.reason, outcome.progress):
        return before
    return TeardownWait(facts.run, before.since if before else now, outcome.reason, outcome.progress)


def _confirmed_by(document: DesiredUnit) -> str:
    asked = document.deletion.requested if document.deletion else None
    return f"confirmed by {asked.by}" if asked is not None and asked.confirm_removed else ""


def what_is_left(document: DesiredUnit, observed: ObservedUnit | None) -> dict[str, Data | str | list[str]]:
    """What a transition tells of resources that stay: which incarnation they are, and what its receipt says of them."""
    unit = document.unit
    receipt = observed.receipt if observed else None
    left: dict[str, Data | str | list[str]] = {"kind": unit.kind, "uid": unit.uid or ""}
    if receipt is not None:
        left["run"] = receipt.run
    if receipt is not None and receipt.outputs:
        left["outputs"] = receipt.outputs
    if receipt is not None and receipt.artifacts:
        left["artifacts"] = sorted(receipt.artifacts)
    return left
