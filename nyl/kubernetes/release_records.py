"""Rendered Releases in the form that is cached: everything but the bytes of their files."""

import json
from collections.abc import Mapping
from typing import Any

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, Location, Severity
from nyl.kubernetes.kinds import KindName, Scope
from nyl.kubernetes.manifests import ObjectIdentity
from nyl.kubernetes.rendered_releases import RenderedRelease
from nyl.kubernetes.resources import ReleaseSpec
from nyl.kubernetes.tree import FileFacts

FORMAT = 2
"""Version of the cached form, and of what rendering makes of a Release."""


@dataclass(frozen=True)
class ReleaseRecord:
    """A rendered Release, and what must be as it was for it to hold."""

    release: RenderedRelease
    identities: Mapping[str, str]
    """Identity of the content of each file that was read."""
    listings: Mapping[str, str]
    """Digest of the listing of each folder that decided what was read."""
    helm: str
    """The helm that charts were rendered with; '' without charts."""

    def encode(self) -> bytes:
        """The record as it is cached."""
        release = self.release
        parts = [
            [release.spec.include, release.spec.additional_namespaces, release.spec.application_override],
            list(map(_file_parts, release.files, release.sizes, release.files.values())),
            [[*kind, scope] for kind, scope in release.scopes.items()],
            [[*kind, scope] for kind, scope in release.open_kinds.items()],
            release.includes,
            release.sources,
            release.artifacts,
            [_warning_parts(each) for each in release.warnings],
            self.identities,
            self.listings,
            self.helm,
        ]
        return json.dumps(parts, separators=(",", ":")).encode()

    @classmethod
    def of(cls, parts: Any) -> "ReleaseRecord | None":
        """The record that was encoded, from its JSON value; None when it is not one."""
        try:
            spec, files, scopes, kinds, includes, sources, artifacts, warnings, identities, listings, helm = parts
            release = RenderedRelease(
                spec=ReleaseSpec(tuple(spec[0]), tuple(spec[1]), spec[2]),
                files={each[0]: _facts(each) for each in files},
                sizes=tuple([each[1] for each in files]),
                scopes={(group, kind): Scope(scope) for group, kind, scope in scopes},
                open_kinds=dict(map(_open_kind, kinds)),
                includes={glob: tuple(paths) for glob, paths in includes.items()},
                sources=sources,
                artifacts=artifacts,
                folders=frozenset(listings),
                warnings=tuple(map(_warning, warnings)),
            )
            return cls(release, identities, listings, helm)
        except (ValueError, TypeError, AttributeError, IndexError, KeyError):
            return None


def _file_parts(path: str, size: int, facts: FileFacts) -> list[Any]:
    identity = facts.identity
    assert identity is not None, "files of Releases hold objects"
    names = [identity.group, identity.kind, identity.namespace, identity.name]
    return [path, size, facts.sha256, facts.sha1_blob, facts.origin, *names]


def _facts(parts: list[Any]) -> FileFacts:
    _, _, sha256, blob, origin, group, kind, namespace, name = parts
    return FileFacts(sha256, blob, ObjectIdentity(group, kind, namespace, name), origin)


def _open_kind(parts: list[Any]) -> tuple[KindName, Scope | None]:
    group, kind, scope = parts
    return (group, kind), None if scope is None else Scope(scope)


def _warning_parts(warning: Diagnostic) -> list[Any]:
    place = warning.location or Location("")
    return [warning.code.value, warning.message, warning.fix, place.file, place.line]


def _warning(parts: list[Any]) -> Diagnostic:
    code, message, fix, file, line = parts
    return Diagnostic(_CODES[code], message, fix, Severity.WARNING, location=Location(file, line))


_CODES = {code.value: code for code in Code}
