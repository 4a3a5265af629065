"""The documents that a run records: start records, receipts and conditions."""

from collections.abc import Mapping
from dataclasses import field, replace

import nyl
from nyl.core.canonical import digest
from nyl.core.clock import Instant
from nyl.core.dataclass import dataclass
from nyl.core.ids import new_id
from nyl.engine.approvers import Approver
from nyl.engine.preflight import CheckedUnit
from nyl.engine.repairs import repair_of
from nyl.engine.resolution import Resolution
from nyl.state.coordination_documents import Checkpoint
from nyl.state.documents import (
    Condition,
    ConditionState,
    Data,
    DesiredUnit,
    ObservedUnit,
    Provenance,
    Receipt,
    UnitIdentity,
    Work,
)
from nyl.state.lifecycles import LifecycleState
from nyl.units.outcomes import Failed, Succeeded, Uncertain


@dataclass(frozen=True)
class RunFacts:
    """What every document of a run repeats."""

    environment: str
    run: str
    source_commit: str
    source_revision: str
    read_desired: str
    operation: str = "reconcile"
    """What leases, run records and transitions are named after."""
    reason: str = ""
    """Why an operator asked for it, as the transition tells it."""
    approver: Approver | None = None
    """Who approves what the invocation approves; None where it approves nothing."""
    reapply: Data = field(default_factory=dict)
    """Who forced units with --reapply, and why."""


def desired_document(
    facts: RunFacts, unit: CheckedUnit, resolution: Resolution, recorded: DesiredUnit | None
) -> DesiredUnit:
    """What the environment wants of a resolved unit; a unit without an incarnation gets a new uid."""
    assert resolution.key is not None
    assert resolution.resolved_spec is not None
    assert resolution.inputs is not None
    rendered = unit.rendered
    uid = (recorded.unit.uid if recorded else None) or new_id()
    document = DesiredUnit(
        unit=UnitIdentity(facts.environment, unit.name, uid, rendered.api_version, rendered.kind),
        lifecycle=LifecycleState.ACTIVE,
        source_commit=facts.source_commit,
        source_revision=facts.source_revision,
        spec=rendered.spec,
        resolved_spec=resolution.resolved_spec,
        execution_key=resolution.key,
        inputs=resolution.inputs,
        provenance=resolution.provenance,
        readiness=resolution.readiness,
        extra=recorded.extra if recorded else {},
    )
    return recorded if recorded is not None and _says_the_same(recorded, document) else document


def _says_the_same(recorded: DesiredUnit, document: DesiredUnit) -> bool:
    """Whether two documents differ at most in where the receipts that they were resolved from were read."""
    same = replace(recorded, provenance=document.provenance) == document
    return same and _receipts(recorded.provenance) == _receipts(document.provenance)


def _receipts(provenance: Mapping[str, Provenance]) -> dict[str, Provenance]:
    return {pointer: replace(each, observed_commit=None, run=None) for pointer, each in provenance.items()}


def changed_without_running(recorded: DesiredUnit | None, document: DesiredUnit) -> bool:
    """Whether a current unit's desired document changed in what does not enter its key, such as its timeout."""
    return recorded is not None and (
        (recorded.spec, recorded.resolved_spec, recorded.readiness)
        != (document.spec, document.resolved_spec, document.readiness)
    )


def receipt_checkpoint(
    facts: RunFacts,
    unit: CheckedUnit,
    document: DesiredUnit,
    outcome: Succeeded,
    started: Instant,
    finished: Instant,
    approval: Data | None = None,
) -> Checkpoint:
    """An execution that completed. Sensitive outputs are checked by the driver, and never recorded."""
    declared = unit.rendered.outputs
    receipt = Receipt(
        execution_key=document.execution_key,
        behavior_version=unit.driver.behavior_version,
        run=facts.run,
        read_desired=facts.read_desired,
        started_at=started,
        finished_at=finished,
        nyl_version=nyl.__version__,
        versions=outcome.versions,
        provenance=document.provenance,
        outputs={
            name: value for name, value in outcome.outputs.items() if name in declared and not declared[name].sensitive
        },
        artifacts={name: digest(artifact) for name, artifact in outcome.artifacts.items()},
        approval=approval,
    )
    return Checkpoint(ObservedUnit(document.unit, receipt=receipt), outcome.artifacts)


def condition_checkpoint(
    facts: RunFacts,
    document: DesiredUnit,
    outcome: Failed | Uncertain,
    recorded: ObservedUnit | None,
    now: Instant,
    work: Work = Work.EXECUTION,
) -> Checkpoint:
    """An execution or teardown that failed or whose outcome is unknown.

    The previous receipt stays beside the condition, and so do a repair and the progress of a teardown.
    """
    failed = isinstance(outcome, Failed)
    condition = Condition(
        state=ConditionState.FAILED if failed else ConditionState.UNCERTAIN,
        run=facts.run,
        since=now,
        reason=outcome.message if isinstance(outcome, Failed) else outcome.reason,
        execution_key=document.execution_key,
        category=str(outcome.category) if isinstance(outcome, Failed) else None,
        retryable=isinstance(outcome, Failed) and outcome.retryable,
        work=work,
    )
    receipt = recorded.receipt if recorded else None
    teardown = recorded.teardown if recorded and work is Work.TEARDOWN else None
    observed = ObservedUnit(document.unit, receipt, condition, teardown, repair_of(recorded))
    return Checkpoint(observed, effects=not failed, work=work)


def new_artifacts(results: Mapping[str, Checkpoint]) -> dict[str, Mapping[str, Data]]:
    """The artifacts of this run's receipts, by unit; units without any are left out."""
    return {name: each.artifacts for name, each in results.items() if each.artifacts}
