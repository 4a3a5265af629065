"""The commands on one Release: rendering it, comparing it with a cluster, applying it there.

Follows Direct commands of the page Release Inputs, and Commands in the Kubernetes specification.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, NylError, Problems, Severity
from nyl.core.exits import Exit
from nyl.core.suggestions import suggest
from nyl.engine.events import Step
from nyl.engine.publications import PublicationOnDemand
from nyl.engine.release_requests import ReleaseRequest
from nyl.engine.release_sources import release_source
from nyl.engine.rendering import open_carry_files, worktree_session
from nyl.engine.results import Report, ReportKind
from nyl.engine.workspace import Workspace
from nyl.kubernetes.direct_releases import DirectObject, InputChoice, render_release
from nyl.kubernetes.inputs.overrides import read_overrides
from nyl.kubernetes.inputs.sources import PublicationState
from nyl.kubernetes.kubectl import Kubectl, KubectlAnswer, KubectlVerb
from nyl.kubernetes.manifests import ObjectIdentity
from nyl.kubernetes.session import RenderSession
from nyl.kubernetes.targets import EffectiveTarget, select_target

RENDER = "render"
_BETWEEN = b"---\n"


@dataclass(frozen=True)
class _Rendering:
    """The objects of a Release that were asked for, and what reports say of them."""

    target: EffectiveTarget | None
    group: str | None
    release: str
    objects: Sequence[DirectObject]
    warnings: tuple[Diagnostic, ...]

    @property
    def text(self) -> bytes:
        """The objects as documents of one text, each with the bytes of its file in a tree."""
        return _BETWEEN.join(each.content for each in self.objects)

    def report(self, operation: str, told: dict[str, Any], *more: Diagnostic, exit_hint: Exit = Exit.OK) -> Report:
        details = {
            "release": self.release,
            "group": self.group,
            "target": self.target.name if self.target else None,
            "objects": [str(each.identity) for each in self.objects],
            **told,
        }
        return Report(ReportKind.OPERATION, (), (*self.warnings, *more), operation, details, exit_hint)


def render(workspace: Workspace, request: ReleaseRequest) -> Report:
    """The objects of a Release as one text.

    Raises NYL-RELEASE-MISSING, NYL-TARGET-UNKNOWN, NYL-OBJECT-MISSING, and what rendering raises.
    """
    rendering = _rendering(workspace, request)
    return rendering.report(RENDER, {"text": rendering.text.decode()})


def diff(workspace: Workspace, request: ReleaseRequest, *, detailed_exitcode: bool) -> Report:
    """How a Release differs from what its cluster has, as `kubectl diff` shows it.

    A kubectl that fails is NYL-KUBECTL-FAILED in the report. Raises as `render`, NYL-KUBECTL-UNAVAILABLE.
    """
    rendering = _rendering(workspace, request)
    answer = _kubectl(workspace, KubectlVerb.DIFF, rendering)
    told = {"text": answer.stdout, "differs": answer.differs}
    exit_hint = Exit.WAITING if answer.differs and detailed_exitcode else Exit.OK
    return rendering.report(KubectlVerb.DIFF, told, *_diagnostics(KubectlVerb.DIFF, answer), exit_hint=exit_hint)


def apply(workspace: Workspace, request: ReleaseRequest) -> Report:
    """Applies a Release to its cluster, as `kubectl apply` does on the server's side.

    A kubectl that fails is NYL-KUBECTL-FAILED in the report. Raises as `render`, NYL-KUBECTL-UNAVAILABLE.
    """
    rendering = _rendering(workspace, request)
    answer = _kubectl(workspace, KubectlVerb.APPLY, rendering)
    return rendering.report(KubectlVerb.APPLY, {"text": answer.stdout}, *_diagnostics(KubectlVerb.APPLY, answer))


def _rendering(workspace: Workspace, request: ReleaseRequest) -> _Rendering:
    choice = InputChoice(_overrides(request), request.group, request.defaults_only)
    with _session(workspace, request) as session:
        target = select_target(session.declarations, request.target) if request.target is not None else None
        source = release_source(workspace, session, request.file)
        open_state = _open_state(workspace, request, target)
        release = render_release(session, source, target.target if target else None, choice, open_state)
    objects = _of_kinds(release.objects, request.kinds)
    return _Rendering(target, release.group, release.name, objects, release.warnings)


@contextmanager
def _session(workspace: Workspace, request: ReleaseRequest) -> Iterator[RenderSession]:
    session = worktree_session(workspace, request.options, open_carry_files(workspace))
    try:
        yield session
    finally:
        session.close()


def _open_state(
    workspace: Workspace, request: ReleaseRequest, target: EffectiveTarget | None
) -> Callable[[], PublicationState]:
    """Opens what is published of the target, when a binding needs it; without a target no binding does."""
    if target is None:
        return _no_state
    publication = PublicationOnDemand(workspace, target.target.publication, request.options.offline)
    return lambda: publication.folder


def _no_state() -> PublicationState:
    raise AssertionError("without a target there are no bindings")


def _overrides(request: ReleaseRequest) -> dict[str, Any]:
    if request.inputs_file is None:
        return read_overrides(request.inputs)
    name = str(request.inputs_file)
    try:
        data = request.inputs_file.read_bytes()
    except OSError as error:
        message = f"--inputs {name} cannot be read: {error.strerror or error}."
        raise NylError(Code.FILE_INACCESSIBLE, message, "name a YAML or JSON file that holds an object") from None
    return read_overrides(request.inputs, data, name)


def _of_kinds(objects: Sequence[DirectObject], kinds: Sequence[str]) -> Sequence[DirectObject]:
    """The objects of some kinds; all without any. Raises NYL-OBJECT-MISSING for a kind that no object has."""
    if not kinds:
        return objects
    names = {each: _kind_names(each.identity) for each in objects}
    known = sorted({each.identity.kind for each in objects})
    problems = Problems()
    for kind in kinds:
        if not any(kind.lower() in each for each in names.values()):
            message = f"The Release has no object of the kind {kind}."
            problems.add(NylError(Code.OBJECT_MISSING, message, suggest(kind, known, "kind")))
    problems.raise_any()
    wanted = {kind.lower() for kind in kinds}
    return [each for each in objects if wanted & names[each]]


def _kind_names(identity: ObjectIdentity) -> frozenset[str]:
    """How a kind may be written: as in manifests, or with its API group, as kubectl has it."""
    kind = identity.kind.lower()
    return frozenset({kind, f"{kind}.{identity.group.lower()}"} if identity.group else {kind})


def _kubectl(workspace: Workspace, verb: KubectlVerb, rendering: _Rendering) -> KubectlAnswer:
    context = rendering.target.cluster.context if rendering.target else None
    where = f"the context {context}" if context is not None else "the current context"
    workspace.listener(Step(None, f"kubectl {verb}: {len(rendering.objects)} objects, {where}"))
    kubectl = Kubectl(workspace.environ, workspace.folder, workspace.cancellation, context)
    return kubectl.run(verb, rendering.text)


def _diagnostics(verb: KubectlVerb, answer: KubectlAnswer) -> Iterator[Diagnostic]:
    if answer.failure:
        fix = "make sure that `kubectl cluster-info` answers, and correct what it says"
        if verb is KubectlVerb.APPLY:
            fix += "; objects that it names on stdout were applied"
        yield Diagnostic(Code.KUBECTL_FAILED, f"kubectl {verb} failed: {answer.failure}", fix)
    elif answer.stderr:
        message = f"kubectl {verb} told: {answer.stderr}"
        yield Diagnostic(Code.KUBECTL_WARNED, message, "look at what it says", Severity.WARNING)
