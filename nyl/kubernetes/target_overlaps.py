"""Whether the places that targets publish to lie in each other.

Follows DeploymentTarget in the Kubernetes specification: prefixes on one repository and revision may not overlap.
"""

from collections.abc import Iterable, Iterator

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.kubernetes.collisions import folded
from nyl.kubernetes.resources import DeploymentTarget
from nyl.project.repositories import spellings


def overlapping_targets(targets: Iterable[DeploymentTarget], own_url: str | None) -> Iterator[NylError]:
    """NYL-TARGET-OVERLAP for every two targets whose prefixes overlap. `own_url` is that of the project's repository.

    Repositories are compared however their URLs are written, those that are pushed to included. Prefixes that differ
    in case alone overlap too, as they are one folder on many disks.
    """
    known: list[DeploymentTarget] = []
    for target in sorted(targets, key=lambda each: (each.location, each.name)):
        yield from overlaps_of(target, known, own_url)
        known.append(target)


def overlaps_of(
    target: DeploymentTarget, others: Iterable[DeploymentTarget], own_url: str | None
) -> Iterator[NylError]:
    """NYL-TARGET-OVERLAP for every other target whose prefix overlaps that of one."""
    for other in others:
        if other.name != target.name and _overlap(target, other, own_url):
            yield _overlapping(other, target)


def _overlap(one: DeploymentTarget, other: DeploymentTarget, own_url: str | None) -> bool:
    if one.publication.revision != other.publication.revision:
        return False
    first, second = (spellings(each.publication.repository, own_url) for each in (one, other))
    if first.isdisjoint(second):
        return False
    inner, outer = (_folder(each) for each in (one, other))
    return inner.startswith(outer) or outer.startswith(inner)


def _folder(target: DeploymentTarget) -> str:
    prefix = target.publication.prefix
    return folded(f"{prefix}/") if prefix else ""


def _overlapping(one: DeploymentTarget, other: DeploymentTarget) -> NylError:
    first, second = (repr(each.publication.prefix) if each.publication.prefix else "the root" for each in (one, other))
    return NylError(
        Code.TARGET_OVERLAP,
        f"{other.location}: DeploymentTarget {other.name} publishes to {second} of {other.publication.revision}, "
        f"which overlaps {first} of DeploymentTarget {one.name} ({one.location}) in the same repository.",
        "give one of the two another pathPrefix, revision or repository",
        location=other.location,
    )
