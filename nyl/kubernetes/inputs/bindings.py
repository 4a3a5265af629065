"""The bindings of a DeploymentTarget, read from what its resource says.

Follows the section Binding inputs on a target of the page Release Inputs.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import field
from typing import Any

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError
from nyl.core.pointers import join
from nyl.kubernetes.inputs.sources import GitLock
from nyl.kubernetes.inputs.typing import shown
from nyl.kubernetes.inputs.unit_values import UnitValues
from nyl.kubernetes.resources import DeploymentTarget, ReleaseAddress
from nyl.project.discovery import Project
from nyl.project.repositories import resolve_repository
from nyl.project.resources import GitRepository
from nyl.project.schema_problems import Subject, resource_error

ROOT = "/spec/releaseInputs"
"""Where the bindings stand in a DeploymentTarget."""

_RESERVED = "fromPromotion"


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


@dataclass(frozen=True)
class FromUnit:
    """`fromUnit`: an output of another unit, or a place in one of its artifacts, as the target writes it."""

    reference: Mapping[str, Any]


BindingSource = InlineValue | FromFile | FromGit | FromPublication | FromUnit


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
    units: UnitValues | None = None
    """What `fromUnit` bindings stand for; None where nothing resolves them, so that they are refused."""
    line_of: Callable[[str], int] | None = None
    """The line of a JSON pointer into the target's resource; None: messages name the line on which it starts."""

    @classmethod
    def within(
        cls,
        project: Project,
        target: DeploymentTarget,
        repositories: Mapping[str, GitRepository],
        synced_folders: Collection[str],
        own_url: str | None,
    ) -> "BindingContext":
        """A target of a project whose files can be read, so that messages name lines."""
        location = target.location
        return cls(
            target,
            repositories,
            synced_folders,
            own_url,
            line_of=lambda pointer: project.resource_line(location, pointer),
        )

    @property
    def subject(self) -> Subject:
        """The target, as errors name it."""
        location = self.target.location
        return Subject(
            f"DeploymentTarget {self.target.name}", location.file, self.line_of or (lambda pointer: location.line)
        )

    def place(self, pointer: str) -> Location:
        """Where a JSON pointer of the target's resource leads to."""
        return Location(self.target.location.file, self.subject.line_of(pointer))

    def error(self, code: Code, place: str, sentence: str, fix: str) -> NylError:
        """An error at a JSON pointer of the target's resource, which `sentence` follows."""
        return resource_error(self.subject, place, sentence, fix, code)

    def sentence(self, code: Code, place: str, sentence: str, fix: str) -> NylError:
        """An error whose message is a sentence of its own, at a JSON pointer of the target's resource."""
        location = self.place(place)
        return NylError(code, f"{location}: {sentence}", fix, location=location)

    def told(self, place: str, error: NylError) -> list[NylError]:
        """What something raised that a binding names, each problem as one of the binding."""
        return [self.error(each.code, place, f"cannot be had: {each.message}", each.fix) for each in error.diagnostics]


def read_binding(context: BindingContext, address: ReleaseAddress, name: str, raw: Mapping[str, Any]) -> Binding:
    """A binding of a target whose resource passed its schema.

    Raises NYL-INPUT-BINDING for a reserved source and for a locked path that is none inside its repository,
    NYL-REPOSITORY-UNKNOWN and NYL-URL-REFUSED.
    """
    place = join(ROOT, str(address), name)
    [(kind, fields)] = raw.items()
    if kind == _RESERVED:
        sentence = f"uses {kind}, which is reserved for orchestration: rendering a tree cannot resolve it."
        raise context.error(Code.INPUT_BINDING, place, sentence, "use value, fromFile, fromGit or fromPublication")
    owner = f"the binding {address}/{name} of DeploymentTarget {context.target.name}"
    return Binding(address, name, _source(context, place, kind, fields, owner), place)


def _source(context: BindingContext, place: str, kind: str, fields: Any, owner: str) -> BindingSource:
    if kind == "value":
        return InlineValue(fields)
    if kind == "fromUnit":
        return FromUnit(fields)
    path, pointer = fields["path"], fields.get("pointer", "")
    if kind == "fromFile":
        return FromFile(path, pointer)
    if kind == "fromPublication":
        return FromPublication(path, pointer, fields.get("carryFileFromWorktree"))
    if path.startswith("/") or any(part in ("", ".", "..") or part.lower() == ".git" for part in path.split("/")):
        sentence = f"must be a path inside the repository, not {shown(path)}."
        fix = "write the path from the root of that repository, such as `staging/sizing.json`"
        raise context.error(Code.INPUT_BINDING, join(place, kind, "path"), sentence, fix)
    repository = resolve_repository(fields, context.repositories, context.target.location)
    if repository is None:
        fix = "add `repositoryRef: {name: …}` or `repository: {repoURL: …}`"
        raise context.error(Code.INPUT_BINDING, join(place, kind), "names no repository.", fix)
    return FromGit(GitLock(repository, fields["revision"], fields["commit"], path, owner), pointer)
