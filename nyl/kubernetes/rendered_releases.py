"""A rendered Release: its files, and what the rest of a tree has to know of it."""

import hashlib
from collections.abc import Mapping
from dataclasses import field

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, Location, NylError
from nyl.kubernetes.kinds import KNOWN, KindName, Scope
from nyl.kubernetes.manifests import Manifest, ObjectIdentity
from nyl.kubernetes.resources import ReleaseSpec
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


def taken(identity: ObjectIdentity, first: str, second: str, context: str = "") -> NylError:
    """The error for two documents that are one object; both places are named."""
    place = Location.parse(second)
    return NylError(
        Code.OBJECT_TAKEN,
        f"{place}: {identity}{context} stands at {first} already.",
        "remove or rename one of the two",
        location=place,
    )
