"""The local path rule: where a path that the project writes down leads to.

Follows Files in the Kubernetes specification: relative to the folder of nyl.toml, or with `/` from the root of the
working tree, inside the working tree.
"""

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError


def local_path(path: str, project_folder: str, location: Location | None = None) -> str:
    """The path from the root of the repository, without slashes at its ends; '' is the root.

    Raises NYL-PATH-REFUSED for a path that leaves the repository or that no repository can hold. Whether something is
    there, and whether a symlink is on the way, is for the caller to look up.
    """
    if "\0" in path or "\\" in path:
        raise _refused(path, "holds a character that no path here may hold", location)
    start = [] if path.startswith("/") else [each for each in project_folder.split("/") if each]
    parts = start
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part == "..":
            if not parts:
                raise _refused(path, "leaves the repository", location)
            parts = parts[:-1]
        else:
            parts = [*parts, part]
    if any(part.casefold() == ".git" for part in parts):
        raise _refused(path, "leads into Git's own folder", location)
    return "/".join(parts)


def _refused(path: str, why: str, location: Location | None) -> NylError:
    start = f"{location}: the" if location else "The"
    return NylError(
        Code.PATH_REFUSED,
        f"{start} path {path!r} {why}.",
        "write a path relative to the folder of nyl.toml, or with `/` from the root of the repository",
        location=location,
    )
