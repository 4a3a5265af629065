"""The bindings of a DeploymentTarget, read from what its resource says.

Follows the section Binding inputs on a target of the page Release Inputs.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.core.pointers import join, split
from nyl.core.suggestions import did_you_mean
from nyl.kubernetes.inputs.sources import GitLock
from nyl.kubernetes.inputs.typing import shown
from nyl.kubernetes.resources import DeploymentTarget, ReleaseAddress
from nyl.project.repositories import resolve_repository
from nyl.project.resources import GitRepository
from nyl.project.schema_problems import Subject, resource_error

ROOT = "/spec/releaseInputs"
"""Where the bindings stand in a DeploymentTarget."""

_COMMIT = re.compile(r"[0-9a-f]{40}")
_REPOSITORIES = {"repositoryRef": "name", "repository": "repoURL"}
"""How a source names its repository, and the field that each way needs."""
_RESERVED = ("fromUnit", "fromPromotion")


@dataclass(frozen=True)
class InlineValue:
    """`value`: a literal of the target."""

    value: Any


@dataclass(frozen=True)
class FromFile:
    """`fromFile`: a place in a file of the project's repository."""

    path: str
    pointer: str = ""


@dataclass(frozen=True)
class FromGit:
    """`fromGit`: a place in a file of a locked commit."""

    lock: GitLock
    pointer: str = ""


@dataclass(frozen=True)
class FromPublication:
    """`fromPublication`: a place in a state file of the target's publication branch."""

    path: str
    pointer: str = ""
    carry: str | None = None
    """`carryFileFromWorktree`."""


BindingSource = InlineValue | FromFile | FromGit | FromPublication


@dataclass(frozen=True)
class Binding:
    """What a target binds to an input. `place` is the JSON pointer of the binding in the target's resource."""

    address: ReleaseAddress
    input: str
    source: BindingSource
    place: str

    def __str__(self) -> str:
        return f"{self.address} {self.input}"


@dataclass(frozen=True)
class BindingContext:
    """A target, and what is known around it when its bindings are read and resolved."""

    target: DeploymentTarget
    repositories: Mapping[str, GitRepository] = field(default_factory=dict)
    synced_folders: Collection[str] = ()
    """The folders of workload Releases below the target's prefix, as they are laid out."""
    own_url: str | None = None
    """The URL of the project's own repository, where it has one."""
    line_of: Callable[[str], int] | None = None
    """The line of a JSON pointer into the target's resource; None: messages name the line on which it starts."""

    @property
    def subject(self) -> Subject:
        """The target, as errors name it."""
        location = self.target.location
        return Subject(
            f"DeploymentTarget {self.target.name}", location.file, self.line_of or (lambda pointer: location.line)
        )

    def error(self, code: Code, place: str, sentence: str, fix: str) -> NylError:
        """An error at a JSON pointer of the target's resource, which `sentence` follows."""
        return resource_error(self.subject, place, sentence, fix, code)

    def sentence(self, code: Code, place: str, sentence: str, fix: str) -> NylError:
        """An error whose message is a sentence of its own, at a JSON pointer of the target's resource."""
        location = Location(self.target.location.file, self.subject.line_of(place))
        return NylError(code, f"{location}: {sentence}", fix, location=location)

    def told(self, place: str, error: NylError) -> list[NylError]:
        """What something raised that a binding names, each problem as one of the binding."""
        return [self.error(each.code, place, f"cannot be had. {each.message}", each.fix) for each in error.diagnostics]


def read_binding(context: BindingContext, address: ReleaseAddress, name: str, raw: Any) -> Binding:
    """A binding of a target. Raises NYL-INPUT-BINDING for a malformed or reserved one, and what repositories raise."""
    place = join(ROOT, str(address), name)
    if not isinstance(raw, Mapping) or len(raw) != 1:
        given = ", ".join(map(str, raw)) if isinstance(raw, Mapping) else shown(raw)
        fix = f"set exactly one of {', '.join(_READERS)}"
        raise context.error(Code.INPUT_BINDING, place, f"must set exactly one source, and has {given or 'none'}.", fix)
    [(kind, body)] = raw.items()
    if kind in _RESERVED:
        sentence = f"uses {kind}, which is reserved for orchestration: rendering a tree cannot resolve it."
        raise context.error(Code.INPUT_BINDING, place, sentence, f"use one of {', '.join(_READERS)}")
    if kind not in _READERS:
        fix = did_you_mean(str(kind), _READERS, f"use one of {', '.join(_READERS)}")
        raise context.error(Code.INPUT_BINDING, place, f"has the unknown source {kind}.", fix)
    return Binding(address, name, _READERS[kind](_Body(context, join(place, kind), body)), place)


class _Body:
    """The fields of one source, read with errors that name their place."""

    def __init__(self, context: BindingContext, place: str, raw: Any) -> None:
        self.context = context
        self.place = place
        self.raw = raw

    def fields(self, required: tuple[str, ...], optional: tuple[str, ...]) -> Mapping[str, Any]:
        """The fields, all of them known, those of `required` strings that are not empty."""
        if not isinstance(self.raw, Mapping):
            raise self.error("", f"must be a mapping, not {shown(self.raw)}.", f"write {', '.join(required)} below it")
        known = (*required, *optional)
        for name in self.raw:
            if name not in known:
                fix = did_you_mean(str(name), known, f"remove it; known are {', '.join(known)}")
                raise self.error(str(name), "is an unknown field.", fix)
        for name in required:
            self.text(name)
        return self.raw

    def text(self, name: str) -> str:
        """A field that is a string and not empty."""
        if name not in self.raw:
            raise self.error("", f"lacks the required field {name}.", f"add {name}")
        value = self.raw[name]
        if not isinstance(value, str) or not value:
            given = "empty" if value == "" else shown(value)
            raise self.error(name, f"must be a string that is not empty, and is {given}.", "write it in quotes")
        return value

    def pointer(self) -> str:
        """The JSON pointer of `pointer`; the whole document where it is left out."""
        value = self.raw.get("pointer", "")
        try:
            if isinstance(value, str):
                split(value)
                return value
        except ValueError:
            pass
        fix = "start the pointer with a slash, and write ~0 for a tilde and ~1 for a slash inside a key"
        raise self.error("pointer", f"must be a JSON Pointer, not {shown(value)}.", fix)

    def error(self, name: str, sentence: str, fix: str) -> NylError:
        place = join(self.place, name) if name else self.place
        return self.context.error(Code.INPUT_BINDING, place, sentence, fix)


def _inline(body: _Body) -> InlineValue:
    return InlineValue(body.raw)


def _from_file(body: _Body) -> FromFile:
    body.fields(("path",), ("pointer",))
    return FromFile(body.text("path"), body.pointer())


def _from_git(body: _Body) -> FromGit:
    fields = body.fields(("revision", "commit", "path"), ("pointer", *_REPOSITORIES))
    for name, required in _REPOSITORIES.items():
        if name in fields:
            _Body(body.context, join(body.place, name), fields[name]).fields((required,), ("publishURL",))
    repository = resolve_repository(fields, body.context.repositories, body.context.target.location)
    if repository is None:
        fix = "add `repositoryRef: {name: …}` or `repository: {repoURL: …}`"
        raise body.error("", "names no repository.", fix)
    if not _COMMIT.fullmatch(fields["commit"]):
        fix = "write the full commit id, or let `nyl update source-locks` write it"
        raise body.error("commit", "must be a full commit id: 40 characters of 0-9 and a-f.", fix)
    path = body.text("path")
    if path.startswith("/") or not _is_plain(path):
        fix = "write the path from the root of that repository, such as `staging/sizing.json`"
        raise body.error("path", f"must be a path inside the repository, not {shown(path)}.", fix)
    owner = f"{body.context.target.name} {body.place.removeprefix(ROOT + '/').replace('~1', '/')}"
    return FromGit(GitLock(repository, fields["revision"], fields["commit"], path, owner), body.pointer())


def _from_publication(body: _Body) -> FromPublication:
    fields = body.fields(("path",), ("pointer", "carryFileFromWorktree"))
    carry = body.text("carryFileFromWorktree") if "carryFileFromWorktree" in fields else None
    return FromPublication(body.text("path"), body.pointer(), carry)


def _is_plain(path: str) -> bool:
    return all(part not in ("", ".", "..") and part.lower() != ".git" for part in path.split("/")) and "\0" not in path


_READERS: Mapping[str, Callable[[_Body], BindingSource]] = {
    "value": _inline,
    "fromFile": _from_file,
    "fromGit": _from_git,
    "fromPublication": _from_publication,
}
