"""What units read, with their fingerprints: programs that run during resolution, once for each resolved spec."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from typing import Any

from nyl.core.cancellation import CancellationToken
from nyl.core.canonical import digest
from nyl.core.dataclass import dataclass
from nyl.engine.content import MAIN
from nyl.engine.inputs import UnitContents, UnitInputs
from nyl.engine.preflight import CheckedUnit
from nyl.engine.slots import SlotPool, Workplace
from nyl.state.documents import InputRecord
from nyl.units.admission import NoSecrets, admit


@dataclass
class Fingerprints:
    """Evaluates fingerprints in the slots of a run, without secrets."""

    environment: str
    slots: SlotPool
    workplace: Callable[[str], Workplace]
    environ: Mapping[str, str]
    cancellation: CancellationToken
    _known: dict[tuple[str, str], str] = field(default_factory=dict)

    def __call__(self, unit: CheckedUnit, argv: tuple[str, ...], spec: Mapping[str, Any]) -> str:
        """The digest of what a unit's fingerprint prints. Raises NYL-FINGERPRINT-FAILED."""
        key = (unit.name, digest(spec))
        if key not in self._known:
            self._known[key] = self._evaluate(unit, argv, spec)
        return self._known[key]

    def _evaluate(self, unit: CheckedUnit, argv: tuple[str, ...], spec: Mapping[str, Any]) -> str:
        from nyl.core.masking import Masker
        from nyl.units.context import UnitContext, private_folder
        from nyl.units.fingerprints import fingerprint

        admitted = admit(unit.rendered.passthrough, {}, self.environ, NoSecrets())
        with self.slots.slot() as slot, private_folder() as temporary:
            checkouts = slot.prepare(self.workplace(unit.name))
            context = UnitContext(
                checkouts.pop(MAIN),
                temporary,
                admitted.variables,
                checkouts,
                Masker(admitted.secret_values),
                cancellation=self.cancellation,
            )
            return fingerprint(argv, unit.resolved(self.environment, spec), context)


@dataclass(frozen=True)
class KeyInputs:
    """Everything beside the spec that enters units' keys. Without `fingerprints` those are not evaluated."""

    contents: Mapping[str, UnitContents]
    inputs: Mapping[str, UnitInputs]
    fingerprints: Fingerprints | None

    def __call__(self, unit: CheckedUnit, resolved_spec: Mapping[str, Any]) -> InputRecord | None:
        """What a unit with a resolved spec reads; None when its fingerprint would have to be evaluated."""
        record = self.inputs[unit.name].record
        argv = self.contents[unit.name].inputs.fingerprint
        if argv is None:
            return record
        if self.fingerprints is None:
            return None
        return replace(record, fingerprint=self.fingerprints(unit, argv, resolved_spec))

    def evaluate_ahead(self, units: Iterable[CheckedUnit], concurrency: int) -> None:
        """Evaluates the fingerprints that depend on no reference, some at a time. Failures are met again later."""
        ahead = [unit for unit in units if self.contents[unit.name].inputs.fingerprint and not unit.references]
        if len(ahead) > 1:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(concurrency) as pool:
                for future in [pool.submit(self, unit, unit.rendered.spec) for unit in ahead]:
                    future.exception()
