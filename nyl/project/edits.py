"""Adding and removing resources by editing the project's files: `nyl create` and `nyl delete`.

Edits are made in memory first, so that the edited project can be checked before anything is written.
"""

import posixpath
import re
from collections.abc import Collection, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from nyl.core.canonical import digest_bytes
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError
from nyl.core.files import write_atomically
from nyl.core.names import NAME_RULE, is_name
from nyl.core.suggestions import suggest
from nyl.project.discovery import Project
from nyl.project.records import RESOURCES, UNITS
from nyl.project.trees import SourceTree
from nyl.project.unlinked import check_unlinked

_SEPARATOR = re.compile(rb"---(?=\s|$)")


class Editable(StrEnum):
    """What can be created and deleted. The value is the word of the command line."""

    ENVIRONMENT = "environment"
    UNIT = "unit"


@dataclass(frozen=True)
class Edit:
    """A file as it is to be: its path from the root of the repository, and its content, None to remove it."""

    path: str
    content: bytes | None


class EditedTree:
    """A tree with an edit laid over it, for checking the project that the edit makes."""

    def __init__(self, tree: SourceTree, edit: Edit) -> None:
        self.name = tree.name
        self.project_folder = tree.project_folder
        self._tree = tree
        self._edit = edit

    def files(self, suffixes: tuple[str, ...]) -> Mapping[str, str]:
        """The files with one of some suffixes, edited ones by a digest of their new content."""
        found = {path: identity for path, identity in self._tree.files(suffixes).items() if path != self._edit.path}
        if self._edit.content is not None and self._edit.path.endswith(suffixes):
            found[self._edit.path] = digest_bytes(self._edit.content)
        return found

    def read_many(self, paths: Collection[str]) -> dict[str, bytes]:
        """The contents of some files."""
        content = self._edit.content
        if content is None or self._edit.path not in paths:
            return self._tree.read_many(paths)
        others = [path for path in paths if path != self._edit.path]
        return {**self._tree.read_many(others), self._edit.path: content}


def creation(
    project: Project,
    tree: SourceTree,
    what: Editable,
    name: str,
    kind: str = "Command",
    labels: Mapping[str, str] | None = None,
) -> Edit:
    """The new file of an environment or unit, in the folder that most of its like are in.

    A new environment starts with the selector and values of the first one by name, so that the units it selects render.

    Raises NYL-RESOURCE-INVALID for a name that no resource can have, NYL-NAME-TAKEN for one that is in use, and
    NYL-FILE-EXISTS when the file is there already.
    """
    from nyl.core.yamlio import dump

    if not is_name(name):
        raise NylError(Code.RESOURCE_INVALID, f"{name!r} cannot be the name of a resource.", NAME_RULE)
    for location in _places(project, what, name):
        message = f"The {what} {name} stands at {location} already."
        raise NylError(Code.NAME_TAKEN, message, "choose another name", location=location)
    path = posixpath.join(_folder(project, tree, what), f"{name}.yaml")
    if path in tree.files((".yaml",)):
        fix = f"add the {what} to the file by hand, or rename the file"
        raise NylError(Code.FILE_EXISTS, f"{path} is there already.", fix, location=Location(path))
    if what is Editable.ENVIRONMENT:
        document = _environment_document(project, name, labels or {})
    else:
        document = _unit_document(kind, name, labels or {})
    return Edit(path, dump(document).encode())


def deletion(project: Project, tree: SourceTree, what: Editable, name: str) -> Edit:
    """The file of an environment or unit without it; other documents of the file keep their bytes.

    Raises NYL-ENVIRONMENT-UNKNOWN or NYL-UNIT-UNKNOWN, and NYL-NAME-TAKEN when several units have the name.
    """
    places = _places(project, what, name)
    if not places:
        names = {unit.name for unit in project.units} if what is Editable.UNIT else set(project.environments)
        code = Code.UNIT_UNKNOWN if what is Editable.UNIT else Code.ENVIRONMENT_UNKNOWN
        raise NylError(code, f"The project has no {what} {name}.", suggest(name, names, what))
    if len(places) > 1:
        shown = ", ".join(map(str, places))
        message = f"Several units are named {name}: {shown}."
        raise NylError(Code.NAME_TAKEN, message, "delete the one you mean by hand", location=places[0])
    place = places[0]
    data = tree.read_many([place.file])[place.file]
    return Edit(place.file, without_document(data, place.line))


def apply_edit(root: Path, edit: Edit) -> None:
    """Writes an edit below the root of the working tree. Raises NYL-PATH-REFUSED."""
    check_unlinked(root, edit.path, "edit the file by hand")
    path = root / edit.path
    if edit.content is None:
        path.unlink()
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, edit.content)


def without_document(data: bytes, line: int) -> bytes | None:
    """The bytes of a file without the document that has something on a line; None when no other document is left."""
    lines = data.splitlines(keepends=True)
    separators = [number for number, each in enumerate(lines) if _SEPARATOR.match(each)]
    before = [number for number in separators if number < line - 1]
    after = [number for number in separators if number >= line]
    if before:
        kept = [*lines[: before[-1]], *(lines[after[0] :] if after else [])]
    else:
        kept = lines[after[0] + 1 :] if after else []
    content = [each.strip() for each in kept]
    return b"".join(kept) if any(each and not each.startswith((b"#", b"---")) for each in content) else None


def _places(project: Project, what: Editable, name: str) -> list[Location]:
    if what is Editable.ENVIRONMENT:
        return [project.environments[name].location] if name in project.environments else []
    return [unit.location for unit in project.units if unit.name == name]


def _folder(project: Project, tree: SourceTree, what: Editable) -> str:
    """The folder that most of the existing ones are in; `environments` or `units` for the first."""
    found = project.environments.values() if what is Editable.ENVIRONMENT else project.units
    folders = [posixpath.dirname(each.location.file) for each in found]
    if folders:
        return max(sorted(set(folders)), key=folders.count)
    return posixpath.join(tree.project_folder, f"{what}s")


def _environment_document(project: Project, name: str, labels: Mapping[str, str]) -> Mapping[str, Any]:
    likes = sorted(project.environments.values(), key=lambda each: each.name)
    like = project.resource_value(likes[0].location).get("spec", {}) if likes else {}
    spec = {field: like.get(field, {}) for field in ("unitSelector", "values")}
    return _document(RESOURCES, "Environment", name, labels, spec)


def _unit_document(kind: str, name: str, labels: Mapping[str, str]) -> Mapping[str, Any]:
    if kind != "Command":
        message = f"There is no template for a unit of kind {kind}."
        raise NylError(Code.KIND_UNKNOWN, message, f"write it by hand; `nyl schema {kind}` prints what it may hold")
    return _document(UNITS, kind, name, labels, {"command": ["true"]})


def _document(
    api_version: str, kind: str, name: str, labels: Mapping[str, str], spec: Mapping[str, Any]
) -> Mapping[str, Any]:
    metadata = {"name": name, **({"labels": dict(labels)} if labels else {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}
