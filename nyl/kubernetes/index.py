"""The ownership index of a target's prefix, `_nyl/index.json` ("Ownership index", spec "Index")."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any, NoReturn

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError
from nyl.core.strict_json import unique_keys
from nyl.kubernetes.layout import INDEX_PATH

VERSION = 1
"""The only version of the index that there is."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_CARRIED, _PUBLICATION = "@carried/", "@publication/"
_PLACE = "state"
"""The field of an owner's place, as the indexes that there are have it."""


@dataclass(frozen=True)
class IndexPublication:
    """The place that a tree was rendered for. `repository` is a URL, None for the project's own repository."""

    repository: str | None
    revision: str
    prefix: str


@dataclass(frozen=True)
class OwnerPlace:
    """An address that tells owners of different projects apart: no other project has it for its own."""

    repository: str
    """The same in every clone, without credentials."""
    ref: str
    path: str = ""

    def __str__(self) -> str:
        return f"{self.path + ' on ' if self.path else ''}{self.ref} of {self.repository}"


@dataclass(frozen=True)
class IndexOwner:
    """The unit that publishes a tree."""

    environment: str
    uid: str
    place: OwnerPlace | None = field(default=None, compare=False)
    """None where that is not known. It says nothing of who the owner is: the uid does, wherever the place moves."""


@dataclass(frozen=True)
class Index:
    """What nyl owns below a target's prefix, and what it was rendered from."""

    target: str
    cluster: str
    publication: IndexPublication
    files: Mapping[str, str] = field(default_factory=dict)
    """Path below the prefix -> bare hex digest; without the index itself."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """Repository-relative path of a source file, or an `@…` key -> bare hex digest."""
    commit: str | None = None
    """The source commit; None for a worktree with changes."""
    owner: IndexOwner | None = None


def encode(index: Index) -> bytes:
    """The bytes of an index: sorted, so that equal indexes are equal bytes, with a newline at the end."""
    publication = index.publication
    data = {
        "version": VERSION,
        "target": index.target,
        "cluster": index.cluster,
        "publication": {
            "repository": publication.repository,
            "revision": publication.revision,
            "pathPrefix": publication.prefix,
        },
        "owner": index.owner and _owner_data(index.owner),
        "source": {"commit": index.commit},
        "files": dict(index.files),
        "inputs": dict(index.inputs),
    }
    return (json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()


def decode(data: bytes, place: str = INDEX_PATH) -> Index:
    """The index in some bytes; `place` names it in errors.

    Raises NylError (NYL-TREE-INDEX) for an unknown version and for anything that no nyl wrote: a path that leaves the
    prefix would let an index delete files that are not its own.
    """
    try:
        fields = _Fields(json.loads(data.decode(), object_pairs_hook=unique_keys), place)
    except (ValueError, RecursionError) as error:
        _refuse(place, f"it is no JSON that nyl wrote ({error})")
    version = fields.raw.get("version")
    if type(version) is not int or version != VERSION:
        _refuse(place, f"its version is {version!r}, and this nyl knows {VERSION} alone", "use a nyl that wrote it")
    publication, source = fields.inner("publication"), fields.inner("source")
    owner = fields.optional("owner")
    return Index(
        target=fields.text("target"),
        cluster=fields.text("cluster"),
        publication=IndexPublication(
            publication.optional_text("repository"),
            publication.text("revision"),
            publication.text("pathPrefix"),
        ),
        files=fields.digests("files", _is_file),
        inputs=fields.digests("inputs", bool),
        commit=source.commit("commit"),
        owner=_owner(owner) if owner is not None else None,
    )


def _owner_data(owner: IndexOwner) -> dict[str, Any]:
    place = owner.place
    written = {_PLACE: {"repository": place.repository, "ref": place.ref, "path": place.path}} if place else {}
    return {"environment": owner.environment, "uid": owner.uid, **written}


def _owner(fields: "_Fields") -> IndexOwner:
    found = fields.optional(_PLACE)
    place = OwnerPlace(found.text("repository"), found.text("ref"), found.text("path")) if found is not None else None
    return IndexOwner(fields.text("environment"), fields.text("uid"), place)


def same_tree(old: Index, new: Index) -> bool:
    """Whether two indexes describe one tree: without the source commit, and without regard to whether a state file
    was carried or read from the publication (spec "Index").
    """
    return _comparable(old) == _comparable(new)


def comparable_inputs(inputs: Mapping[str, str]) -> dict[str, str]:
    """The inputs of an index without regard to whether a state file was carried or read from the publication."""
    return {_uncarried(key): digest for key, digest in inputs.items()}


def _comparable(index: Index) -> Index:
    return replace(index, commit=None, inputs=comparable_inputs(index.inputs), files=dict(index.files))


def _uncarried(key: str) -> str:
    return _PUBLICATION + key.removeprefix(_CARRIED) if key.startswith(_CARRIED) else key


class _Fields:
    """The fields of one object of the index, each checked as it is read."""

    def __init__(self, raw: Any, place: str) -> None:
        if not isinstance(raw, dict):
            _refuse(place, "it holds no object where one belongs")
        self.raw: dict[str, Any] = raw
        self._place = place

    def inner(self, name: str) -> "_Fields":
        return _Fields(self.raw.get(name), self._place)

    def optional(self, name: str) -> "_Fields | None":
        return self.inner(name) if self.raw.get(name) is not None else None

    def text(self, name: str) -> str:
        value = self.raw.get(name)
        if not isinstance(value, str):
            _refuse(self._place, f"its {name} is no text")
        return value

    def optional_text(self, name: str) -> str | None:
        return self.text(name) if self.raw.get(name) is not None else None

    def commit(self, name: str) -> str | None:
        value = self.optional_text(name)
        if value is not None and not _COMMIT.fullmatch(value):
            _refuse(self._place, f"its {name} is no commit")
        return value

    def digests(self, name: str, is_key: Callable[[str], bool]) -> dict[str, str]:
        found = self.inner(name).raw
        for key, value in found.items():
            if not is_key(key):
                _refuse(self._place, f"its {name} name {key!r}, which is no path of a file below the prefix")
            if not isinstance(value, str) or not _SHA256.fullmatch(value):
                _refuse(self._place, f"its {name} hold no SHA-256 digest for {key!r}")
        return found


def _is_file(path: str) -> bool:
    segments = path.split("/")
    return path != INDEX_PATH and all(
        each and each not in (".", "..") and each.lower() != ".git" and "\\" not in each and "\0" not in each
        for each in segments
    )


def _refuse(place: str, what: str, fix: str = "restore it from the history of the branch or folder") -> NoReturn:
    raise NylError(Code.TREE_INDEX, f"The index {place} cannot be used: {what}.", fix, location=Location(place))
