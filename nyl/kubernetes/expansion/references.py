"""What a chart reference means: a folder of the repository, a searched name, a Git repository or a remote chart."""

import re
from enum import StrEnum

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError
from nyl.git.refs import without_credentials

_GIT = "git+"
_LOCAL = ("./", "../", "/")
_EXACT = re.compile(r"v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SEGMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")


class ChartOrigin(StrEnum):
    """Where a chart comes from."""

    LOCAL = "local"
    SEARCHED = "searched"
    COMPONENT = "component"
    GIT = "git"
    OCI = "oci"
    REPOSITORY = "repository"


@dataclass(frozen=True)
class ChartReference:
    """A chart as a resource refers to it."""

    origin: ChartOrigin
    base: str
    """A local path, a name or relative path that is searched for, or the URL of a repository."""
    name: str = ""
    """Name of the chart in a remote repository; the folder of a Git repository, '' for its root."""
    version: str = ""
    """An exact version; a tag or full commit id of a Git repository; '' for what is in the project itself."""

    @property
    def is_remote(self) -> bool:
        """Whether the chart is not in the Release's own repository."""
        return self.origin in (ChartOrigin.GIT, ChartOrigin.OCI, ChartOrigin.REPOSITORY)

    def __str__(self) -> str:
        base = f"{_GIT}{self.base}" if self.origin is ChartOrigin.GIT else self.base
        return base + (f"#{self.name}" if self.name else "") + (f"@{self.version}" if self.version else "")


def chart_reference(
    repository: str | None, name: str | None, version: str | None, location: Location | None = None
) -> ChartReference:
    """The chart that `chart {repository, name, version}` means.

    Raises NYL-CHART-REFERENCE for a form that means nothing, NYL-CHART-UNPINNED for a remote chart whose version may
    mean different charts at different times.
    """
    if repository is None or repository.startswith(_LOCAL) or repository == ".":
        return _in_project(repository, name, version, location)
    base, name, version = _clean(repository, location), name or "", version or ""
    if base.startswith(_GIT):
        return _git(base.removeprefix(_GIT), name, version, location)
    if base.startswith("oci://"):
        return _pinned(ChartReference(ChartOrigin.OCI, base.rstrip("/"), name, version), location)
    if base.startswith("https://"):
        if not name:
            raise _malformed(f"the chart repository {base} needs the name of a chart", "add `name`", location)
        return _pinned(ChartReference(ChartOrigin.REPOSITORY, base.rstrip("/"), name, version), location)
    message = f"the chart repository {base!r} is neither a local path nor git+…, oci://… or https://…"
    raise _malformed(message, "write one of these forms; a local chart is `name: ./charts/web`", location)


def component_reference(kind: str, location: Location | None = None) -> ChartReference:
    """The chart that the kind of a Component means: `<apiVersion>/<Kind>` or `<base>[#<name>][@<version>]`.

    Raises as `chart_reference`.
    """
    if "://" not in kind and not kind.startswith(_GIT):
        if not all(_SEGMENT.fullmatch(part) for part in kind.split("/")):
            message = f"the kind {kind!r} of a Component is no `<apiVersion>/<Kind>` and no `<base>#<name>@<version>`"
            raise _malformed(message, "write a kind such as `example.com/v1/Web`", location)
        return ChartReference(ChartOrigin.COMPONENT, kind)
    base, _, fragment = kind.partition("#")
    place = fragment or base
    at = place.rfind("@")
    if at <= place.rfind("/"):
        at = len(place)  # an @ before the last slash belongs to a host or a folder
    place, version = place[:at], place[at + 1 :]
    base, name = (base, place) if fragment else (place, "")
    return chart_reference(base, name or None, version or None, location)


def _in_project(
    repository: str | None, name: str | None, version: str | None, location: Location | None
) -> ChartReference:
    path = f"{repository}/{name}" if repository and name else (repository or name)
    if path and _CONTROL.search(path):
        raise _malformed(f"the path {path!r} of a chart holds control characters", "rename the folder", location)
    if not path:
        raise _malformed("`chart` has neither a name nor a repository", "add `name: ./charts/web`", location)
    if version:
        message = f"the chart {path} is of this repository, and its version is what the commit has"
        raise _malformed(message, "remove `version`", location)
    if path.startswith(_LOCAL) or path == ".":
        return ChartReference(ChartOrigin.LOCAL, path)
    if not _NAME.fullmatch(path) or ".." in path.split("/"):
        message = f"the chart name {path!r} is neither a name to search for nor a path that begins with ./ or /"
        raise _malformed(message, "write a name such as `web` or a path such as `./charts/web`", location)
    return ChartReference(ChartOrigin.SEARCHED, path)


def _git(url: str, name: str, version: str, location: Location | None) -> ChartReference:
    from nyl.git.refs import check_ref_name, check_url

    reference = ChartReference(ChartOrigin.GIT, url, "" if name == "." else name.strip("/"), version)
    if _CONTROL.search(name) or any(part in ("..", ".git") for part in reference.name.split("/")):
        raise _malformed(f"{name!r} is no folder of a repository", "write a path from its root", location)
    if not version:
        raise _unpinned(reference, "has no version", "give a tag or a full commit id", location)
    try:
        check_url(url)
        check_ref_name(version)
    except NylError as error:
        raise error.at(location) from None
    return reference


def _pinned(reference: ChartReference, location: Location | None) -> ChartReference:
    if reference.name and not _NAME.fullmatch(reference.name):
        raise _malformed(f"{reference.name!r} is no name of a chart", "correct `name`", location)
    if not reference.version:
        raise _unpinned(reference, "has no version", "give an exact version such as `1.2.3`", location)
    if not _EXACT.fullmatch(reference.version):
        why = f"has the version {reference.version!r}, which may mean another chart tomorrow"
        raise _unpinned(reference, why, "give an exact version such as `1.2.3`", location)
    return reference


def _clean(url: str, location: Location | None) -> str:
    shown = without_credentials(url)
    if any(ord(each) <= 32 or ord(each) == 127 for each in url):
        raise _malformed(f"the chart repository {shown!r} holds white space", "correct the URL", location)
    if shown != url and not url.startswith(("git+ssh://", "git+git@")):
        raise NylError(
            Code.URL_REFUSED,
            f"{f'{location}: ' if location else ''}the chart repository {shown} is written with credentials.",
            "remove them; `helm registry login` and Git credential helpers keep credentials",
            location=location,
        )
    return url


def _malformed(message: str, fix: str, location: Location | None) -> NylError:
    where = f"{location}: " if location else ""
    return NylError(Code.CHART_REFERENCE, f"{where}{message}.", fix, location=location)


def _unpinned(reference: ChartReference, why: str, fix: str, location: Location | None) -> NylError:
    where = f"{location}: " if location else ""
    return NylError(Code.CHART_UNPINNED, f"{where}the chart {reference} {why}.", fix, location=location)
