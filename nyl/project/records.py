"""What files hold, in the form that is cached: resources, and the literal parts of documents that are templates."""

import json
from collections.abc import Mapping
from typing import Any

from nyl.core.dataclass import dataclass

RESOURCES = "gitops.nyl/v1"
UNITS = "units.gitops.nyl/v1"
"""The API group of the unit kinds that nyl itself brings."""
FORMAT = 4
"""Version of the cached form and of what is checked before it is cached."""

KUBERNETES = "k8s.gitops.nyl/v1"
BUNDLES = "k8s.nyl/v1"
"""The API group of what stands in the bundles of Releases."""
RELEASES = frozenset({BUNDLES, KUBERNETES})
"""The API groups that a Release may be written in: that of its bundle, or that of the resources that select it."""
COMPONENTS = "components.k8s.nyl/v1"
BUILT_IN_GROUPS = frozenset({RESOURCES, UNITS, KUBERNETES, BUNDLES, COMPONENTS})
"""The API groups of nyl itself; those of other drivers come beside them."""
POINTER = "https://git-lfs.github.com/spec"
"""Stands for the API versions of what Git LFS keeps elsewhere."""
_RESERVED = ("gitops.nyl", "k8s.nyl")


def is_reserved(api_version: str) -> bool:
    """Whether an API group is nyl's own, whatever its version, so that no package can have it."""
    domain = api_version.partition("/")[0].lower()
    return any(domain == each or domain.endswith(f".{each}") for each in _RESERVED)


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
class GroupRecord:
    """An ApplicationGroup's envelope, and the text of its spec with its key."""

    name: str
    labels: Mapping[str, str]
    line: int
    spec: str
    spec_line: int


@dataclass(frozen=True)
class ReleaseRecord:
    """The literal part of a Release: apiVersion, kind, metadata; and `spec.inputs` as written, None without."""

    document: Mapping[str, Any]
    inputs: Any
    line: int
    index: int

    @property
    def name(self) -> str:
        """The Release's name."""
        return str(self.document["metadata"]["name"])


@dataclass(frozen=True)
class FileRecord:
    """What a file holds. `foreign` are the API versions of its documents that belong to nobody known.

    Of a Git LFS pointer that is `POINTER` alone: what it stands for is not here.
    """

    resources: tuple[ResourceRecord, ...] = ()
    units: tuple[UnitRecord, ...] = ()
    foreign: tuple[str, ...] = ()
    groups: tuple[GroupRecord, ...] = ()
    releases: tuple[ReleaseRecord, ...] = ()

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
            [[each.name, each.labels, each.line, each.spec, each.spec_line] for each in self.groups],
            [[each.document, each.inputs, each.line, each.index] for each in self.releases],
        ]
        return json.dumps(parts, separators=(",", ":")).encode()

    @classmethod
    def of(cls, parts: Any) -> "FileRecord | None":
        """The record that was encoded, from its JSON value; None when it is not one."""
        try:
            resources, units, foreign, groups, releases = parts
            return cls(
                tuple([ResourceRecord(*each) for each in resources]),
                tuple([UnitRecord(*each) for each in units]),
                tuple(foreign),
                tuple([GroupRecord(*each) for each in groups]),
                tuple([ReleaseRecord(*each) for each in releases]),
            )
        except (ValueError, TypeError):
            return None
