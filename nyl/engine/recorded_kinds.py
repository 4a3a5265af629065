"""What the drivers of recorded units say of them: whether they tear down, and how they recover."""

from collections.abc import Callable
from typing import cast

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.engine.results import LeavingEffect
from nyl.project.units import DeletionPolicy
from nyl.state.documents import DesiredUnit, UnitIdentity
from nyl.state.lifecycles import DeletionIntent, DeletionReason
from nyl.units.driver import Capability, Driver, RecoveryPolicy, TearsDown
from nyl.units.undriven import INSTALL_DRIVER, undriven


@dataclass(frozen=True)
class RecordedKinds:
    """Answers for recorded documents. `driver_of` gives None for a kind that no installed driver offers."""

    driver_of: Callable[[UnitIdentity], Driver | None]

    def tears_down(self, document: DesiredUnit) -> bool:
        """Whether the unit can be torn down. One whose driver is missing counts as such: nobody can say it cannot."""
        driver = self.driver_of(document.unit)
        return driver is None or Capability.TEARDOWN in driver.capabilities(document.resolved_spec)

    def leaving_effect(self, document: DesiredUnit) -> LeavingEffect:
        """What becomes of a unit outside the ownership set: as its deletion says, else by its deletion policy.

        That is the declared one, or else by what the kind can do.
        """
        declared = document.resolved_spec.get("deletionPolicy") == DeletionPolicy.RETAIN
        deletion = document.deletion
        if deletion is not None and deletion.intent is DeletionIntent.TEARDOWN:
            return LeavingEffect.TEARDOWN
        if deletion is not None and deletion.reason is DeletionReason.DECOMMISSION:
            return LeavingEffect.RELEASE
        if declared:
            return LeavingEffect.RETAIN
        if deletion is None and self.tears_down(document):
            return LeavingEffect.TEARDOWN
        return LeavingEffect.RELEASE

    def reports_digest(self, document: DesiredUnit) -> bool:
        """Whether the unit's driver reports digests of what a teardown would change; no if it is missing."""
        driver = self.driver_of(document.unit)
        return driver is not None and Capability.DIGEST in driver.capabilities(document.resolved_spec)

    def teardown_recovery(self, document: DesiredUnit) -> RecoveryPolicy:
        """What to do with a teardown of the unit that failed or whose outcome is unknown. Raises NYL-KIND-UNKNOWN."""
        driver = self._driver(document)
        if Capability.TEARDOWN not in driver.capabilities(document.resolved_spec):
            return RecoveryPolicy.MANUAL
        return cast(TearsDown, driver).teardown_recovery(document.resolved_spec)

    def recovery(self, document: DesiredUnit) -> RecoveryPolicy:
        """What to do with an uncertain execution of the unit. Raises NYL-KIND-UNKNOWN."""
        return self._driver(document).recovery(document.resolved_spec)

    def _driver(self, document: DesiredUnit) -> Driver:
        driver, unit = self.driver_of(document.unit), document.unit
        if driver is None:
            raise NylError(
                Code.KIND_UNKNOWN,
                f"Unit {unit.name} cannot be torn down, since {undriven(unit.kind, unit.api_version)}.",
                f"{INSTALL_DRIVER}; without it, remove the unit from source, reconcile, and let it go without a "
                f"teardown with `nyl state forget -e {unit.environment} --unit {unit.name}`",
                environment=unit.environment,
                unit=unit.name,
            )
        return driver
