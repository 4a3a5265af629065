"""Units of other environments that use a unit, as those environments' states have it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.states import States
from nyl.engine.teardown_order import references_to
from nyl.project.resources import Environment
from nyl.state.snapshot import StateSnapshot


@dataclass
class ForeignDependents:
    """Reads each other environment of the project once, without its lease, when the first teardown starts."""

    states: States
    environment: str
    environments: Mapping[str, Environment]
    _read: dict[str, StateSnapshot | str | None] = field(default_factory=dict)

    def __call__(self, unit: str) -> tuple[str, ...]:
        """What uses the unit, as `environment/unit`.

        An environment whose state cannot be read may use it too; one that was never initialised does not.
        """
        found: list[str] = []
        for name in sorted(self.environments.keys() - {self.environment}):
            state = self._state(name)
            if isinstance(state, str):
                found.append(f"possibly {name}, whose state could not be read: {state}")
            elif state is not None:
                found += [f"{name}/{each}" for each in references_to(state, self.environment, unit)]
        return tuple(found)

    def _state(self, name: str) -> StateSnapshot | str | None:
        """The state of an environment, why it could not be read, or None where there is none."""
        if name not in self._read:
            try:
                self._read[name] = self.states.store(self.environments[name]).read()
            except NylError as error:
                missing = error.diagnostic.code is Code.STATE_MISSING
                self._read[name] = None if missing else error.diagnostic.message.rstrip(".")
        return self._read[name]
