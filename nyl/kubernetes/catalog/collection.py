"""The objects of a catalog together: each name once."""

from collections.abc import Iterable

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.kubernetes.manifests import Manifest, ObjectIdentity


def unique_objects(manifests: Iterable[Manifest]) -> tuple[list[Manifest], list[NylError]]:
    """The objects of a catalog, those that several groups share once; and a problem for each name with two contents."""
    found: dict[ObjectIdentity, Manifest] = {}
    problems = []
    for each in manifests:
        known = found.setdefault(each.identity, each)
        if known.value != each.value:
            problems.append(_conflict(known, each))
    return list(found.values()), problems


def _conflict(first: Manifest, second: Manifest) -> NylError:
    return NylError(
        Code.CATALOG_CONFLICT,
        f"{first.identity} is to be made twice with different contents: {_origin(first)} and {_origin(second)}.",
        "give one of the two another name, such as by spec.applicationNameTemplate of its ApplicationGroup",
        location=second.location,
    )


def _origin(manifest: Manifest) -> str:
    return f"{manifest.provenance[0]} ({manifest.location})"
