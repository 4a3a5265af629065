"""Unit documents, and what they render to for one environment."""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Any, Protocol

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location


class DeletionPolicy(StrEnum):
    """What happens to a unit's resources when it leaves the ownership set."""

    TEARDOWN = "Teardown"
    RETAIN = "Retain"


class ApprovalBinding(StrEnum):
    """What an approval of a unit stands for."""

    KEY = "key"
    """The execution key."""
    PLAN = "plan"
    """The change that the unit's driver planned, by its digest."""


@dataclass(frozen=True)
class ApprovalPolicy:
    """`approval: manual`: the unit executes, and is torn down, only with an approval of the invocation."""

    bind: ApprovalBinding = ApprovalBinding.KEY
    require_digest: bool = False
    """Whether only an approval that names the digest of a reviewed change counts."""


@dataclass(frozen=True)
class OutputDeclaration:
    """An output that a unit declares. `type` is a JSON Schema type name."""

    type: str
    sensitive: bool = False
    description: str = ""


@dataclass(frozen=True)
class UnitAddress:
    """A unit of an environment; `environment` None is the one that speaks."""

    unit: str
    environment: str | None = None

    def __str__(self) -> str:
        return f"{self.environment}/{self.unit}" if self.environment else self.unit

    def seen_from(self, environment: str) -> "UnitAddress":
        """The same unit as that environment speaks of it: its own ones without its name."""
        return UnitAddress(self.unit) if self.environment == environment else self


@dataclass(frozen=True)
class UnitKind:
    """What discovery and rendering must know of a kind. Drivers give it."""

    api_version: str
    kind: str
    schema_digest: str
    """Changes when the kind's schema does, so that cached renderings are dropped."""
    schema: Mapping[str, Any]
    """JSON Schema of the kind's own spec fields: an object's `properties` and `required`."""
    reference_fields: tuple[str, ...]
    default_timeout: timedelta


class UnitKinds(Protocol):
    """The installed kinds, looked up lazily so that unused drivers are not imported."""

    def groups(self) -> frozenset[str]:
        """The API groups/versions that hold unit kinds, such as units.gitops.nyl/v1."""

    def find(self, api_version: str, kind: str) -> UnitKind | None:
        """The kind, or None when no installed driver offers it."""

    def names(self, api_version: str) -> tuple[str, ...]:
        """The kinds of a group, for suggestions."""


@dataclass(frozen=True)
class UnitDocument:
    """A unit as its file holds it: a literal envelope and the text of a template."""

    api_version: str
    kind: str
    name: str
    labels: Mapping[str, str]
    location: Location
    """Where the document starts."""
    blob: str
    """Identity of the file's content: a blob id, or a digest for an uncommitted file."""
    index: int
    """Which document of the file it is, from 0."""
    spec_line: int
    """Line of the file on which the spec text starts."""
    spec_digest: str
    """SHA-256 of the spec text."""
    templated: bool = True
    """Whether the spec text holds template tags; without any it renders to itself everywhere."""


@dataclass(frozen=True)
class RenderedUnit:
    """A unit's spec rendered for one environment and checked against its schema, references as written."""

    api_version: str
    kind: str
    name: str
    labels: Mapping[str, str]
    location: Location
    spec: Mapping[str, Any]
    """The whole rendered spec as data, common fields included."""
    enabled: bool
    outputs: Mapping[str, OutputDeclaration]
    depends_on: tuple[UnitAddress, ...]
    approval: ApprovalPolicy | None
    """None where no approval is needed."""
    deletion_policy: DeletionPolicy | None
    timeout: timedelta
    passthrough: tuple[str, ...]
    secrets: Mapping[str, str]
    """Variable name -> key of the project's secrets."""
