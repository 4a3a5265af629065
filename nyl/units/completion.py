"""What a driver may do beside its protocol while its units are resolved: adding to specs what the project declares.

The engine calls these where a driver has the methods.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Protocol

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location
from nyl.project.discovery import Project
from nyl.project.resources import RepositoryLocation
from nyl.units.driver import Driver, ResolvedUnit
from nyl.units.source_project import SourceProject


@dataclass(frozen=True)
class PushedBranch:
    """A branch that the executions of a unit push to."""

    repository: RepositoryLocation | None
    """None is the project's own."""
    branch: str
    location: Location
    """Where that is written."""
    field: str = ""
    """The field that names the branch."""


@dataclass(frozen=True)
class Expansion:
    """A unit's spec before any state is read, with what its project adds to it."""

    spec: Mapping[str, Any]
    """The spec, with references where those added values come from other units."""
    types: Mapping[str, str] = field(default_factory=dict)
    """Pointer of a reference -> the JSON Schema type that its value must have."""
    claims: tuple[str, ...] = ()
    """What no two units may have in one environment, as messages name it."""
    pushes: tuple[PushedBranch, ...] = ()
    """The branches that it pushes to, which may hold no state."""


class Expands(Driver, Protocol):
    """A driver that adds to specs before references are looked for."""

    def expand(self, spec: Mapping[str, Any], project: Project) -> Expansion:
        """The spec of a unit with what its project declares. Raises NylError for what cannot be."""


@dataclass(frozen=True)
class Completion:
    """A resolved unit with everything that decides what its execution does."""

    spec: Mapping[str, Any]
    """The resolved spec, completed."""
    fingerprint: str | None = None
    """Digest of what the unit reads beside its spec; None where that is nothing."""
    readiness: tuple[str, ...] = ()
    """What keeps a teardown of the unit from completing, in sentences without a full stop."""


class Completes(Driver, Protocol):
    """A driver that completes specs once references have values."""

    def complete(self, unit: ResolvedUnit, source: SourceProject) -> Completion:
        """The completed unit, found out with as much work as that takes. Raises NylError."""

    def recall(self, unit: ResolvedUnit, source: SourceProject) -> Completion | None:
        """The same where it is known from before; None where it would have to be worked out. Raises NylError."""
