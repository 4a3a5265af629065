"""The namespaces of a Release's objects: those they get by default, and those they may be in.

Follows Pipeline and Namespaces in the Kubernetes specification.
"""

from collections.abc import Mapping
from dataclasses import field, replace

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.kubernetes.kinds import KNOWN, KindName, Scope, kind_of
from nyl.kubernetes.manifests import Manifest


@dataclass(frozen=True)
class NamespaceRules:
    """What holds for the objects of one Release."""

    release: str
    """How messages name the Release."""
    destination: str | None
    """The namespace of objects that name none; None leaves them as they are."""
    additional: tuple[str, ...] = ()
    is_checked: bool = True
    """Whether objects may be in no other namespaces."""

    @property
    def namespaces(self) -> tuple[str, ...]:
        """All that objects may be in, each once."""
        return tuple(dict.fromkeys((*((self.destination,) if self.destination else ()), *self.additional)))


@dataclass
class Placement:
    """Gives the objects of one Release their namespaces."""

    rules: NamespaceRules
    scopes: Mapping[KindName, Scope]
    """What the CustomResourceDefinitions of the tree say."""
    open_kinds: dict[KindName, Scope | None] = field(default_factory=dict)
    """The kinds of objects that no built-in table knows, and what `scopes` said of them."""

    def placed(self, manifest: Manifest) -> Manifest:
        """The object in its namespace. Raises NYL-OBJECT-NAME, NYL-NAMESPACE-SCOPE."""
        metadata = manifest.value.get("metadata") or {}
        if not metadata.get("name"):
            raise _unnamed(manifest, "generateName" in metadata)
        namespace = metadata.get("namespace")
        scope = self._scope(kind_of(manifest.value))
        if scope is Scope.CLUSTER:
            if namespace and len(manifest.provenance) == 1:
                raise _not_namespaced(manifest, namespace)
            return manifest
        if namespace:
            self._check(manifest, namespace)
            return manifest
        default = manifest.namespace or self.rules.destination
        if scope is None or default is None:
            return manifest
        self._check(manifest, default)
        rest = {key: each for key, each in metadata.items() if key not in ("name", "namespace")}
        placed = {"name": metadata["name"], "namespace": default, **rest}
        return replace(manifest, value={**manifest.value, "metadata": placed})

    def _scope(self, kind: KindName) -> Scope | None:
        known = KNOWN.get(kind)
        if known is None:
            known = self.open_kinds[kind] = self.scopes.get(kind)
        return known

    def _check(self, manifest: Manifest, namespace: str) -> None:
        rules = self.rules
        if not rules.is_checked or namespace in rules.namespaces:
            return
        place = manifest.location
        raise NylError(
            Code.NAMESPACE_SCOPE,
            f"{place}: {_named(manifest)} is in the namespace {namespace}, and Release {rules.release} has "
            f"{', '.join(rules.namespaces)}.",
            f"move it, or add {namespace} to spec.additionalNamespaces of the Release",
            location=place,
        )


def origin_of(manifest: Manifest) -> str:
    """What a message adds to the place of an object that was expanded from another: its chart and template."""
    parts = (*manifest.provenance[1:], *((f"template {manifest.helm_source}",) if manifest.helm_source else ()))
    return f" (from {', '.join(parts)})" if parts else ""


def _named(manifest: Manifest) -> str:
    value = manifest.value
    return f"{value['kind']} {value['metadata']['name']}{origin_of(manifest)}"


def _unnamed(manifest: Manifest, is_generated: bool) -> NylError:
    place = manifest.location
    what = "is unnamed"
    if is_generated:
        what = "has generateName instead of a name, and a tree holds objects by their names"
    return NylError(
        Code.OBJECT_NAME,
        f"{place}: {manifest.value['apiVersion']} {manifest.value['kind']}{origin_of(manifest)} {what}.",
        "give it a metadata.name",
        location=place,
    )


def _not_namespaced(manifest: Manifest, namespace: str) -> NylError:
    place = manifest.location
    return NylError(
        Code.NAMESPACE_SCOPE,
        f"{place}: {_named(manifest)} names the namespace {namespace}, but objects of this kind belong to none.",
        "remove metadata.namespace",
        location=place,
    )
