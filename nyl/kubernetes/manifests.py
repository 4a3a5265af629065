"""Kubernetes objects on their way from a bundle into a tree."""

from collections.abc import Mapping
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location


@dataclass(frozen=True, order=True)
class ObjectIdentity:
    """What makes a Kubernetes object one: the version of its API is no part of it."""

    group: str
    """'' is the core group."""
    kind: str
    namespace: str
    """'' for objects without one."""
    name: str

    def __str__(self) -> str:
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.kind}.{self.group} {place}" if self.group else f"{self.kind} {place}"


@dataclass(frozen=True)
class Manifest:
    """One object. `value` is never changed in place."""

    value: Mapping[str, Any]
    provenance: tuple[str, ...]
    """What follows `# Nyl-Provenance: ` on each line: source document first, then what expanded it."""
    location: Location
    """The place to name in errors: the file that a person can edit, and its line."""
    helm_source: str | None = None
    """What follows `# Source: `, as Helm wrote it."""
    namespace: str | None = None
    """Where an object of a namespaced kind that names none goes, as the chart it is of was told; None: the default."""

    @property
    def identity(self) -> ObjectIdentity:
        """The object's identity. Raises KeyError for what has no kind or name."""
        group, _, version = str(self.value["apiVersion"]).rpartition("/")
        metadata = self.value["metadata"]
        return ObjectIdentity(
            group if version else "", str(self.value["kind"]), metadata.get("namespace") or "", str(metadata["name"])
        )
