"""Single values of recorded state, as references would read them: `nyl get output`, `artifact` and `unit`."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, NylError, Severity
from nyl.core.suggestions import did_you_mean
from nyl.engine.administration import recorded_state
from nyl.engine.foreign import ForeignProducers
from nyl.engine.invocation import open_invocation
from nyl.engine.production import ArtifactReader, Production, Unavailable, recorded_production
from nyl.engine.references import Reference
from nyl.engine.requests import Selection, SourceChoice
from nyl.engine.states import States, stored_artifact
from nyl.engine.survey import Surveyor
from nyl.engine.workspace import Workspace
from nyl.project.units import UnitAddress
from nyl.state import codec
from nyl.state.documents import ObservedUnit, Provenance
from nyl.state.snapshot import StateSnapshot


def output_value(
    workspace: Workspace, environment: str, unit: str, output: str, revision: str | None, *, allow_stale: bool
) -> Any:
    """The value of an output, as a reference to it would resolve now, or as of a commit of the state.

    Raises NYL-VALUE-UNRESOLVED where it would not resolve; with `allow_stale` only where no value is recorded.
    """
    reference = Reference("", UnitAddress(unit, environment), output=output)
    return _value(workspace, environment, reference, revision, allow_stale=allow_stale)


def artifact_value(
    workspace: Workspace,
    environment: str,
    unit: str,
    artifact: str,
    pointer: str,
    revision: str | None,
    *,
    allow_stale: bool,
) -> Any:
    """An artifact, or the value at a JSON pointer inside it; otherwise like `output_value`."""
    reference = Reference("", UnitAddress(unit, environment), artifact=artifact, artifact_pointer=pointer)
    return _value(workspace, environment, reference, revision, allow_stale=allow_stale)


def unit_documents(
    workspace: Workspace, environment: str, unit: str, part: str | None, revision: str | None
) -> Mapping[str, Any]:
    """The stored documents of a unit: with `part` `desired` or `observed` that one, else both under these names.

    Raises NYL-UNIT-UNKNOWN when the state has none.
    """
    _, snapshot = recorded_state(workspace, environment, revision)
    desired, observed = snapshot.desired.get(unit), snapshot.observed.get(unit)
    stored: dict[str, Mapping[str, Any]] = {}
    if desired is not None and part in (None, "desired"):
        stored["desired"] = codec.plain(codec.DESIRED_UNIT, desired)
    if observed is not None and part in (None, "observed"):
        stored["observed"] = codec.plain(codec.OBSERVED_UNIT, observed)
    if not stored:
        raise _unrecorded_unit(environment, unit, {*snapshot.desired, *snapshot.observed}, part)
    return stored[part] if part else stored


def _unrecorded_unit(environment: str, unit: str, known: Iterable[str], part: str | None = None) -> NylError:
    """NYL-UNIT-UNKNOWN for a unit that the state of an environment does not hold."""
    document = f"no {part} document" if part else "nothing"
    return NylError(
        Code.UNIT_UNKNOWN,
        f"The state of {environment} holds {document} of unit {unit}.",
        did_you_mean(unit, {*known} - {unit}, f"choose one that `nyl get units -e {environment}` lists"),
        environment=environment,
    )


def _value(
    workspace: Workspace, environment: str, reference: Reference, revision: str | None, *, allow_stale: bool
) -> Any:
    store, snapshot = recorded_state(workspace, environment, revision)
    unit = reference.producer.unit
    desired, observed = snapshot.desired.get(unit), snapshot.observed.get(unit)
    if desired is None and observed is None:
        raise _unrecorded_unit(environment, unit, {*snapshot.desired, *snapshot.observed})
    read = partial(stored_artifact(store), snapshot)
    found = recorded_production(reference.producer, desired, observed, snapshot.observed_commit, read)
    if revision is None and isinstance(found, Production):
        found = _obstacle(workspace, reference.producer, snapshot) or found
    if isinstance(found, Production):
        return found.value(reference)
    stale = _last_production(unit, observed, read) if allow_stale else None
    if stale is None:
        raise _unresolved(environment, reference, found)
    workspace.listener(
        Diagnostic(
            Code.VALUE_UNRESOLVED,
            f"The value of {reference} is the last recorded one: {found.reason}.",
            f"run `nyl reconcile -e {environment}` to bring it up to date",
            Severity.WARNING,
            environment,
            unit,
        )
    )
    return stale.value(reference)


def _obstacle(workspace: Workspace, producer: UnitAddress, snapshot: StateSnapshot) -> Unavailable | None:
    """Why a unit's receipt is not current at the environment's source commit; None when it is."""
    name = producer.environment or ""
    prepared = open_invocation(workspace, Selection((name,)), SourceChoice()).prepare(name)
    states = States(workspace)
    surveyor = Surveyor(workspace, states, evaluates_fingerprints=True, repairs=False)
    foreign = ForeignProducers(states, workspace.worktree.environments, {})
    resolution = surveyor.survey(prepared, foreign, snapshot).resolutions.get(producer.unit)
    if resolution is None:
        return Unavailable(f"{producer} left the ownership set of its environment")
    if resolution.decision.readable:
        return None
    return Unavailable(f"the receipt of {producer} is not current: {resolution.decision.reason}")


def _last_production(unit: str, observed: ObservedUnit | None, read: ArtifactReader) -> Production | None:
    if observed is None or observed.receipt is None:
        return None
    provenance = Provenance(unit, observed.unit.uid or "", observed.receipt.execution_key)
    return Production(observed.receipt, provenance, read)


def _unresolved(environment: str, reference: Reference, found: Unavailable) -> NylError:
    return NylError(
        Code.VALUE_UNRESOLVED,
        f"A reference to {reference} does not resolve: {found.reason}.",
        f"run `nyl reconcile -e {environment}`; --allow-stale prints the last recorded value",
        environment=environment,
        unit=reference.producer.unit,
    )
