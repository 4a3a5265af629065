"""Where the Releases of an ApplicationGroup are.

Follows ApplicationGroup and Files in the Kubernetes specification.
"""

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.kubernetes.group_specs import GroupSpec
from nyl.kubernetes.resources import GroupDocument, GroupSource
from nyl.project.local_paths import local_path
from nyl.project.repositories import resolve_repository
from nyl.project.resources import GitRepository

OWN_FOLDER = "_application-group"
"""Stem of the files whose groups have the Releases of their own folder."""
DEFAULT_INCLUDE = ("*.yaml", "*.yml", "*.json")

_LITERAL = (
    ("repositoryRef", "name"),
    ("repository", "repoURL"),
    ("repository", "publishURL"),
    ("revision",),
    ("commit",),
)


def group_source(
    document: GroupDocument, spec: GroupSpec, repositories: Mapping[str, GitRepository], project_folder: str
) -> GroupSource:
    """The source that a spec gives.

    Raises NYL-PATH-REFUSED for a path that leaves its repository, NYL-REPOSITORY-UNKNOWN and NYL-URL-REFUSED, and
    NYL-SOURCE-INPUT for a lock that is not written out, which `nyl update source-locks` could not move.
    """
    source: Mapping[str, Any] = spec.value.get("source", {})
    place = _place(spec, "/source")
    is_remote = "commit" in source
    if is_remote:
        _check_literal(document, spec, source)
        _check_revision(source["revision"], _place(spec, "/source/revision"))
    return GroupSource(
        path=_path(document, source, "" if is_remote else project_folder, _place(spec, "/source/path")),
        include=tuple(source.get("include", DEFAULT_INCLUDE)),
        exclude=tuple(source.get("exclude", ())),
        recursive=source.get("recursive", True),
        repository=resolve_repository(source, repositories, place),
        revision=source.get("revision"),
        commit=source.get("commit"),
    )


def _path(document: GroupDocument, source: Mapping[str, Any], folder: str, place: Location) -> str:
    if "path" in source:
        return local_path(source["path"], folder, place)
    own, name = posixpath.split(document.location.file)
    if posixpath.splitext(name)[0] == OWN_FOLDER and "commit" not in source:
        return own
    return local_path(f"applications/{document.name}", folder, place)


def _check_literal(document: GroupDocument, spec: GroupSpec, source: Mapping[str, Any]) -> None:
    lines = document.spec.split("\n")
    for pointer, text in _literals(source):
        place = _place(spec, pointer)
        number = place.line - document.spec_line
        if not 0 <= number < len(lines) or text not in lines[number]:
            raise NylError(
                Code.SOURCE_INPUT,
                f"{place}: {spec.subject.phrase}: {pointer} is {text}, but this line does not hold it literally.",
                "write out the repository, revision and commit of a source, so that its lock can be moved",
                location=place,
            )


def _literals(source: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for keys in _LITERAL:
        value: Any = source
        for key in keys:
            value = value.get(key) if isinstance(value, Mapping) else None
        if value is not None:
            yield "/source/" + "/".join(keys), str(value)


def _check_revision(revision: str, place: Location) -> None:
    from nyl.git.refs import check_ref_name

    try:
        check_ref_name(revision)
    except NylError as error:
        raise error.at(place, "source.revision") from None


def _place(spec: GroupSpec, pointer: str) -> Location:
    return Location(spec.subject.file, spec.subject.line_of(pointer))
