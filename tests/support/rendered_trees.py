"""Rendered trees made by hand, for what writes, compares and publishes them."""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from nyl.core.diagnostics import Location
from nyl.kubernetes.manifests import ObjectIdentity
from nyl.kubernetes.resources import Cluster, DeploymentTarget, Destination, Publication
from nyl.kubernetes.tree import FileFacts, RenderedTree

SOURCE = "5" * 40
"""The source commit of trees."""

CLUSTER = Cluster("shared", Destination(name="shared"), None, (), {}, None, {}, Location("clusters.yaml", 1))


@dataclass(frozen=True)
class Contents:
    """Bytes that are here."""

    files: Mapping[str, bytes]

    def read_many(self, paths: Collection[str]) -> Mapping[str, bytes]:
        return {path: self.files[path] for path in paths}


def target(name: str = "dev", prefix: str | None = None) -> DeploymentTarget:
    """A target that is published to the branch deploy of the project's repository, below a folder of its name."""
    publication = Publication(None, "deploy", name if prefix is None else prefix)
    place = Location(f"targets/{name}.yaml", 1)
    return DeploymentTarget(name, {}, "shared", {}, {}, publication, {}, None, {}, {}, place)


def rendered(
    files: Mapping[str, str],
    *,
    of: DeploymentTarget | None = None,
    inputs: Mapping[str, str] | None = None,
    commit: str | None = SOURCE,
    state: Iterable[str] = (),
    read_state: Iterable[str] = (),
    suspended: Iterable[str] = (),
) -> RenderedTree:
    """The tree of some files; `state` are those that are carried state and no objects."""
    contents = {path: text.encode() for path, text in files.items()}
    carried = set(state)
    return RenderedTree(
        of or target(),
        CLUSTER,
        {path: facts(content, None if path in carried else _identity(path)) for path, content in contents.items()},
        Contents(contents),
        dict(inputs or {}),
        commit,
        1,
        frozenset(read_state),
        frozenset(suspended),
    )


def facts(content: bytes, identity: ObjectIdentity | None) -> FileFacts:
    """What is known of a file with some content."""
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    return FileFacts(digest(content), blob, identity, "apps/web.yaml:1")


def digest(content: bytes | str) -> str:
    """The digest of a file as the index has it."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def _identity(path: str) -> ObjectIdentity:
    return ObjectIdentity("", "ConfigMap", "web", path)
