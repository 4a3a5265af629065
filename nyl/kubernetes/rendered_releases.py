"""A rendered Release: its files, and what the rest of a tree has to know of it."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Location, NylError, Problems, Severity
from nyl.kubernetes.kinds import KNOWN, KindName, Scope, declared_scope, kind_of
from nyl.kubernetes.layout import manifest_path
from nyl.kubernetes.manifests import Manifest, ObjectIdentity
from nyl.kubernetes.release_specs import ReleaseSpec
from nyl.kubernetes.scope import Placement, origin_of
from nyl.kubernetes.serialization import manifest_bytes
from nyl.kubernetes.tree import FileFacts


@dataclass(frozen=True)
class RenderedRelease:
    """A Release as files. Paths of `files` are below its folder, `bodies` are their bytes in the same order."""

    spec: ReleaseSpec
    files: Mapping[str, FileFacts]
    sizes: tuple[int, ...]
    """Bytes of each file."""
    scopes: Mapping[KindName, Scope] = field(default_factory=dict)
    """What its CustomResourceDefinitions say."""
    open_kinds: Mapping[KindName, Scope | None] = field(default_factory=dict)
    """Kinds of its objects that only the tree's CustomResourceDefinitions may know, and what those said."""
    includes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Each glob of `spec.include`, and the files that it matched."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Every file that was read: path in its repository -> hex SHA-256."""
    folders: frozenset[str] = frozenset()
    """Folders whose whole listing decided what was read."""
    artifacts: Mapping[str, str] = field(default_factory=dict)
    """What was taken from elsewhere: key -> hex SHA-256."""
    warnings: tuple[Diagnostic, ...] = ()


def file_facts(manifest: Manifest, content: bytes) -> FileFacts:
    """What is known of the file of an object. Its identity has no namespace where the kind has none."""
    identity = manifest.identity
    if identity.namespace and KNOWN.get((identity.group, identity.kind)) is Scope.CLUSTER:
        identity = ObjectIdentity(identity.group, identity.kind, "", identity.name)
    return content_facts(content, identity, str(manifest.location))


def content_facts(content: bytes, identity: ObjectIdentity | None = None, origin: str = "") -> FileFacts:
    """What is known of a file from its bytes."""
    blob = hashlib.sha1(b"blob %d\0" % len(content), usedforsecurity=False)
    blob.update(content)
    return FileFacts(hashlib.sha256(content).hexdigest(), blob.hexdigest(), identity, origin)


class ReleaseFiles:
    """Turns the expanded objects of one Release into files, one at a time."""

    def __init__(self, placement: Placement) -> None:
        self.files: dict[str, FileFacts] = {}
        self.bodies: list[bytes] = []
        self.scopes: dict[KindName, Scope] = {}
        self.warnings: list[Diagnostic] = []
        self._placement = placement
        self._first: dict[ObjectIdentity, str] = {}

    def add(self, manifest: Manifest) -> None:
        """Adds an object. Raises NYL-OBJECT-NAME, NYL-NAMESPACE-SCOPE, NYL-OBJECT-TAKEN, NYL-MANIFEST-INVALID."""
        placed = self._placement.placed(manifest)
        try:
            content = manifest_bytes(placed)
        except (ValueError, TypeError) as error:
            raise _unwritable(placed, str(error)) from None
        facts = file_facts(placed, content)
        assert facts.identity is not None
        first = self._first.setdefault(facts.identity, facts.origin)
        if first is not facts.origin:
            raise taken(facts.identity, first, facts.origin, origin_of(placed))
        path = manifest_path(placed.identity)
        if path in self.files:
            raise _path_taken(path, self.files[path], placed)
        self.files[path] = facts
        self.bodies.append(content)
        scope = declared_scope(placed)
        if scope is not None:
            self.scopes[scope[0]] = scope[1]
        if _is_plain_secret(placed):
            self.warnings.append(_secret(placed))

    def add_all(self, manifests: tuple[Manifest, ...]) -> None:
        """Adds some objects. Raises all problems together."""
        problems = Problems()
        for manifest in manifests:
            try:
                self.add(manifest)
            except NylError as error:
                problems.add(error)
        problems.raise_any()


def taken(identity: ObjectIdentity, first: str, second: str, context: str = "") -> NylError:
    """The error for two documents that are one object; both places are named."""
    file, _, line = second.rpartition(":")
    place = Location(file, int(line)) if line.isdecimal() else Location(second)
    return NylError(
        Code.OBJECT_TAKEN,
        f"{place}: {identity}{context} stands at {first} already.",
        "remove or rename one of the two",
        location=place,
    )


def _path_taken(path: str, first: FileFacts, second: Manifest) -> NylError:
    place = second.location
    message = (
        f"{place}: {second.identity}{origin_of(second)} and {first.identity} ({first.origin}) share the path {path}."
    )
    return NylError(Code.PATH_COLLISION, message, "rename one of the two", location=place)


def _is_plain_secret(manifest: Manifest) -> bool:
    value = manifest.value
    return kind_of(value) == ("", "Secret") and bool(value.get("data") or value.get("stringData"))


def _secret(manifest: Manifest) -> Diagnostic:
    place = manifest.location
    return Diagnostic(
        Code.TREE_SECRET,
        f"{place}: Secret {manifest.value['metadata']['name']}{origin_of(manifest)} is rendered with its data, which "
        "everybody who can read the published branch can read.",
        "use an encrypted or external secret, such as a SealedSecret or an ExternalSecret",
        Severity.WARNING,
        location=place,
    )


def _unwritable(manifest: Manifest, why: str) -> NylError:
    place = manifest.location
    message = f"{place}: {manifest.value['kind']}{origin_of(manifest)} cannot be written as YAML: {why}."
    return NylError(Code.MANIFEST_INVALID, message, "correct the value", location=place)
