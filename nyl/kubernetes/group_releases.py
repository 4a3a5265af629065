"""The Releases of an ApplicationGroup: the files of its source that hold one.

Follows Resources and Names in the Kubernetes specification.
"""

from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError, Problems
from nyl.kubernetes.resources import ApplicationGroup, GroupSource, ReleaseAddress, ReleaseDocument


@dataclass(frozen=True)
class GroupRelease:
    """A Release as a target has it."""

    group: ApplicationGroup
    document: ReleaseDocument

    @property
    def address(self) -> ReleaseAddress:
        """The key of its bindings."""
        return ReleaseAddress(self.group.name, self.document.name)

    @property
    def destination(self) -> str | None:
        """The namespace of its objects."""
        return self.group.destination_namespace or self.document.namespace


def source_files(source: GroupSource, files: Iterable[str]) -> list[str]:
    """Those of some files that belong to a group's source, sorted.

    Patterns match below its path as those of .gitignore do: one without a slash matches names in every folder.
    """
    prefix = f"{source.path}/" if source.path else ""
    below = [path for path in sorted(files) if path.startswith(prefix)]
    names = [path[len(prefix) :] for path in below]
    included, excluded = _matcher(source.include), _matcher(source.exclude)
    return [
        path
        for path, name in zip(below, names, strict=True)
        if (source.recursive or "/" not in name) and included(name) and not excluded(name)
    ]


def group_releases(
    groups: Iterable[ApplicationGroup], releases_of: Callable[[ApplicationGroup], Mapping[str, ReleaseDocument]]
) -> dict[ReleaseAddress, GroupRelease]:
    """The Releases of some groups by address, sorted. `releases_of` gives those of a group's whole repository.

    Raises all problems together: NYL-RELEASE-TAKEN for a name that stands twice in a group, and for a file that two
    groups of one repository have, and NYL-NAMESPACE-SCOPE for a Release without a namespace.
    """
    problems = Problems()
    found: dict[ReleaseAddress, GroupRelease] = {}
    owners: dict[tuple[str, str], GroupRelease] = {}
    for group in sorted(groups, key=lambda each: each.name):
        documents = releases_of(group)
        for file in source_files(group.source, documents):
            release = GroupRelease(group, documents[file])
            try:
                _check(release, found, owners)
            except NylError as error:
                problems.add(error)
                continue
            found[release.address] = release
    problems.raise_any()
    return dict(sorted(found.items()))


def _check(
    release: GroupRelease, found: Mapping[ReleaseAddress, GroupRelease], owners: dict[tuple[str, str], GroupRelease]
) -> None:
    place = release.document.location
    group = release.group
    known = found.get(release.address)
    if known is not None:
        message = f"{place}: ApplicationGroup {group.name} has a Release {release.document.name} already, at "
        message += f"{known.document.location}."
        raise NylError(Code.RELEASE_TAKEN, message, "rename one of the two", location=place)
    repository = group.source.repository.url if group.source.repository else ""
    owner = owners.setdefault((repository, place.file), release)
    if owner is not release:
        message = f"{place}: Release {release.document.name} is in the ApplicationGroups {owner.group.name} "
        message += f"({owner.group.location}) and {group.name} ({group.location}), and a target would deploy it twice."
        fix = "narrow `source.path`, `include` or `exclude` of one group, or let the target select one of them"
        raise NylError(Code.RELEASE_TAKEN, message, fix, location=place)
    if release.destination is None:
        message = f"{place}: Release {release.document.name} has no namespace: neither metadata.namespace nor "
        message += f"destinationNamespace of ApplicationGroup {group.name} ({group.location}) names one."
        raise NylError(Code.NAMESPACE_SCOPE, message, "add metadata.namespace to the Release", location=place)


def _matcher(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    """Whether a path below the source matches one of some patterns; most are globs of names, which cost little."""
    if not patterns:
        return lambda path: False
    if all("/" not in each and "!" not in each and not each.startswith("#") for each in patterns):
        return lambda path: any(_names(path, each) for each in patterns)
    from pathspec import PathSpec

    return PathSpec.from_lines("gitignore", patterns).match_file


def _names(path: str, pattern: str) -> bool:
    return any(fnmatchcase(part, pattern) for part in path.split("/"))
