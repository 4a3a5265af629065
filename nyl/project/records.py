"""What files hold, in the form that is cached: resources, and the envelopes of units."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

RESOURCES = "gitops.nyl/v1"
UNITS = "units.gitops.nyl/v1"
"""The API group of the unit kinds that nyl itself brings."""
FORMAT = 1
"""Version of the cached form and of what is checked before it is cached."""

KUBERNETES = ("k8s.gitops.nyl/v1", "k8s.nyl/v1", "components.k8s.nyl/v1")
BUILT_IN_GROUPS = frozenset({RESOURCES, UNITS, *KUBERNETES})
"""The API groups of nyl itself; those of other drivers come beside them."""


@dataclass(frozen=True)
class ResourceRecord:
    """A resource that is not a unit: its kind, its whole document, and the line on which it starts."""

    kind: str
    document: Mapping[str, Any]
    line: int

    @property
    def name(self) -> str:
        """The resource's name."""
        return str(self.document["metadata"]["name"])


@dataclass(frozen=True)
class UnitRecord:
    """A unit's envelope, and where its spec text is. See `nyl.project.units.UnitDocument` for the fields."""

    api_version: str
    kind: str
    name: str
    labels: Mapping[str, str]
    line: int
    index: int
    spec_line: int
    spec_digest: str
    templated: bool


@dataclass(frozen=True)
class FileRecord:
    """What a file holds. `foreign` are the API versions of its documents that belong to nobody known."""

    resources: tuple[ResourceRecord, ...] = ()
    units: tuple[UnitRecord, ...] = ()
    foreign: tuple[str, ...] = ()

    def encode(self) -> bytes:
        """The record as it is cached."""
        parts = [
            [[each.kind, each.document, each.line] for each in self.resources],
            [
                [
                    each.api_version,
                    each.kind,
                    each.name,
                    each.labels,
                    each.line,
                    each.index,
                    each.spec_line,
                    each.spec_digest,
                    each.templated,
                ]
                for each in self.units
            ],
            self.foreign,
        ]
        return json.dumps(parts, separators=(",", ":")).encode()

    @classmethod
    def of(cls, parts: Any) -> "FileRecord | None":
        """The record that was encoded, from its JSON value; None when it is not one."""
        try:
            resources, units, foreign = parts
            return cls(
                tuple([ResourceRecord(*each) for each in resources]),
                tuple([UnitRecord(*each) for each in units]),
                tuple(foreign),
            )
        except (ValueError, TypeError):
            return None
