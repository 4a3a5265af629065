"""The repositories that resources refer to, by name or inline."""

from collections.abc import Mapping
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.core.suggestions import suggest
from nyl.project.resources import GitRepository, RepositoryLocation

_OWN = ""
"""Stands for the project's own repository where it has no URL."""


def resolve_repository(
    value: Mapping[str, Any], repositories: Mapping[str, GitRepository], location: Location | None = None
) -> RepositoryLocation | None:
    """The repository that the `repositoryRef` or `repository` field of a mapping names; None when it has neither.

    Raises NYL-REPOSITORY-UNKNOWN for a name that no GitRepository has, NYL-URL-REFUSED for a URL that is refused, and
    NYL-RESOURCE-INVALID when both fields stand there.
    """
    where = f"{location}: " if location else ""
    reference, inline = value.get("repositoryRef"), value.get("repository")
    if reference is not None and inline is not None:
        message = f"{where}a source names both repositoryRef and repository."
        raise NylError(Code.RESOURCE_INVALID, message, "keep one of the two", location=location)
    if reference is not None:
        return named_repository(str(reference["name"]), repositories, location)
    if inline is not None:
        return repository_location(inline, location)
    return None


def named_repository(
    name: str, repositories: Mapping[str, GitRepository], location: Location | None = None
) -> RepositoryLocation:
    """The repository of a GitRepository. Raises NYL-REPOSITORY-UNKNOWN when the project has none of that name."""
    if name not in repositories:
        where = f"{location}: " if location else ""
        message = f"{where}the repositoryRef names {name}, but the project has no such GitRepository."
        fix = suggest(name, repositories, "GitRepository")
        raise NylError(Code.REPOSITORY_UNKNOWN, message, fix, location=location)
    return repositories[name].repository


def repository_location(value: Mapping[str, Any], location: Location | None) -> RepositoryLocation:
    """The repository that `repoURL` and `publishURL` give. Raises NYL-URL-REFUSED for URLs that are refused."""
    publish = value.get("publishURL")
    for url in (value["repoURL"], *([publish] if publish is not None else ())):
        _check(url, location)
    return RepositoryLocation(value["repoURL"], publish)


def spellings(repository: RepositoryLocation | None, own_url: str | None) -> frozenset[str]:
    """What stands for a repository however its URLs are written, those that are pushed to included.

    None is the project's own, which has `own_url`. Two that have one of these in common are the same repository.
    """
    from nyl.git.urls import comparable_url

    if repository is None:
        return frozenset({comparable_url(own_url) if own_url else _OWN})
    return frozenset(comparable_url(each) for each in (repository.url, repository.pushed_to))


def _check(url: str, location: Location | None) -> None:
    from nyl.git.refs import check_url

    try:
        check_url(url)
    except NylError as error:
        raise error.at(location) from None
