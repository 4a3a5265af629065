"""What consumers may read of a producer: its current receipt's outputs and artifacts, and where they come from."""

from collections.abc import Callable
from typing import Any

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.core.pointers import get
from nyl.engine.references import Reference
from nyl.project.units import UnitAddress
from nyl.state.documents import DesiredUnit, ObservedUnit, Provenance, Receipt
from nyl.state.lifecycles import LifecycleState

ArtifactReader = Callable[[str, str], Any]
"""The document of an artifact, by unit and artifact name."""


@dataclass(frozen=True)
class Production:
    """A receipt that references may read."""

    receipt: Receipt
    provenance: Provenance
    artifact: ArtifactReader

    def value(self, reference: Reference) -> Any:
        """What a reference stands for. Raises NYL-VALUE-UNRESOLVED when the receipt holds no such value."""
        unit = self.provenance.unit
        if reference.output is not None:
            if reference.output in self.receipt.outputs:
                return self.receipt.outputs[reference.output]
            raise _unresolved(reference, f"the receipt of {unit} has no such output")
        artifact = reference.artifact or ""
        if artifact not in self.receipt.artifacts:
            raise _unresolved(reference, f"the receipt of {unit} has no such artifact")
        try:
            return get(self.artifact(unit, artifact), reference.artifact_pointer)
        except (KeyError, ValueError):  # ValueError for what is no pointer, such as one typed on a command line
            raise _unresolved(reference, "the artifact has no value at that pointer") from None


def _unresolved(reference: Reference, why: str) -> NylError:
    return NylError(
        Code.VALUE_UNRESOLVED,
        f"The reference to {reference} does not resolve: {why}.",
        f"correct the reference, or reconcile {reference.producer} so that its receipt holds the value",
    )


@dataclass(frozen=True)
class Unavailable:
    """Why a producer has nothing that a consumer may read now."""

    reason: str


def recorded_production(
    address: UnitAddress,
    desired: DesiredUnit | None,
    observed: ObservedUnit | None,
    observed_commit: str,
    artifact: ArtifactReader,
) -> Production | Unavailable:
    """What another environment's recorded state, and nothing but it, lets consumers read of a unit.

    The receipt is current when it was produced by the desired document beside it and no condition came after. A held
    unit's receipt stays readable, because it is what runs.
    """
    receipt = observed.receipt if observed else None
    if desired is None or observed is None or receipt is None or desired.unit.uid is None:
        return Unavailable(f"{address} has no receipt yet")
    if desired.lifecycle is LifecycleState.DELETING:
        return Unavailable(f"{address} is being deleted")
    if desired.lifecycle is not LifecycleState.HELD:
        if observed.condition is not None:
            return Unavailable(f"{address} is {observed.condition.state}: {observed.condition.reason}")
        if receipt.execution_key != desired.execution_key:
            return Unavailable(f"the receipt of {address} is out of date")
    provenance = Provenance(
        address.unit,
        desired.unit.uid,
        receipt.execution_key,
        environment=address.environment,
        observed_commit=observed_commit,
    )
    return Production(receipt, provenance, artifact)
