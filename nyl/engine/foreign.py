"""Producers of other environments: what their recorded state, or an earlier part of this invocation, lets be read.

Follows the section Multi-environment runs of the Runs page.
"""

from collections.abc import Mapping
from dataclasses import field
from functools import partial

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.engine.production import Production, Unavailable, recorded_production
from nyl.engine.states import States, stored_artifact
from nyl.project.resources import Environment
from nyl.project.units import UnitAddress
from nyl.state.snapshot import StateSnapshot
from nyl.state.store import StateStore

_Obstacles = Mapping[str, str]
"""Unit -> why an environment that ran earlier in this invocation does not provide it; other units are provided."""


@dataclass(frozen=True)
class Preceding:
    """How an earlier environment of this invocation went. `failure` stands for all its units."""

    obstacles: _Obstacles = field(default_factory=dict)
    failure: str | None = None

    @classmethod
    def failed(cls, environment: str, error: NylError) -> "Preceding":
        """An environment that ended with an error."""
        return cls(failure=f"environment {environment} failed: {error.diagnostic.message}")

    def obstacle(self, unit: str) -> str | None:
        """Why a unit cannot be read now, or None."""
        return self.failure or self.obstacles.get(unit)


@dataclass
class ForeignProducers:
    """Reads each producing environment once, without its lease."""

    states: States
    environments: Mapping[str, Environment]
    preceding: Mapping[str, Preceding]
    _read: dict[str, tuple[StateStore, StateSnapshot] | Unavailable] = field(default_factory=dict)

    def __call__(self, address: UnitAddress) -> Production | Unavailable:
        """What a unit of another environment lets consumers read."""
        name = address.environment or ""
        before = self.preceding.get(name)
        obstacle = before.obstacle(address.unit) if before else None
        if obstacle is not None:
            return Unavailable(obstacle)
        found = self._state(name)
        if isinstance(found, Unavailable):
            return found
        store, snapshot = found
        return recorded_production(
            address,
            snapshot.desired.get(address.unit),
            snapshot.observed.get(address.unit),
            snapshot.observed_commit,
            partial(stored_artifact(store), snapshot),
        )

    def _state(self, name: str) -> tuple[StateStore, StateSnapshot] | Unavailable:
        if name not in self._read:
            self._read[name] = self._read_state(name)
        return self._read[name]

    def _read_state(self, name: str) -> tuple[StateStore, StateSnapshot] | Unavailable:
        if name not in self.environments:
            return Unavailable(f"the working tree declares no Environment {name}")
        try:
            store = self.states.store(self.environments[name])
            return store, store.read()
        except NylError as error:
            return Unavailable(f"the state of {name} could not be read: {error.diagnostic.message}")
