"""Bringing an image about in its registry, and looking whether it is still there."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from nyl.core.dataclass import dataclass
from nyl.core.durations import format_duration
from nyl.units.driver import ReceiptFacts, ResolvedUnit
from nyl.units.execution_context import ExecutionContext
from nyl.units.ignoring import IgnoreFileInvalid
from nyl.units.images.buildah import Buildah
from nyl.units.images.building import Builder, Job, Pushed
from nyl.units.images.buildx import Buildx
from nyl.units.images.credentials import CredentialsUnfit, login_file, named_credentials, own_credentials
from nyl.units.images.manifests import Manifest
from nyl.units.images.names import Repository
from nyl.units.images.registry import Registry, TagRefused
from nyl.units.images.schema import BUILDAH, BUILDX
from nyl.units.images.spec import ImageSpec, image_spec
from nyl.units.images.staging import StagingFailed, stage
from nyl.units.images.tags import TagAction, key_tag, tag_action
from nyl.units.images.transport import RegistryDenied, RegistryError
from nyl.units.outcomes import Failed, FailureCategory, Outcome, Succeeded, Uncertain, Verified, VerifyOutcome
from nyl.units.stopping import Stop

ARTIFACT = "image"
_API_VERSION = "artifacts.gitops.nyl/v1"
_KIND = "ContainerImage"
_BUILDERS: Mapping[str, type[Builder]] = {BUILDAH: Buildah, BUILDX: Buildx}


@dataclass(frozen=True)
class _Access:
    registry: Registry
    login_file: Path | None


class _TagTaken(Exception):
    """A tag names somebody else's image. The text is a sentence's clause."""


class _Interrupted(Exception):
    """The work has to end before all tags are set. The text is a sentence's clause."""


def publish(unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
    """Builds an image and pushes it. Nothing is built when the registry cannot be had."""
    spec = image_spec(unit.spec)
    try:
        with _access(spec, context) as access:
            return _publish(unit, spec, context, access)
    except _TagTaken as problem:
        return Failed(FailureCategory.EXECUTION, False, str(problem))
    except _Interrupted as problem:
        return Uncertain(str(problem))
    except (CredentialsUnfit, RegistryError) as problem:
        return _refused(problem)
    except (StagingFailed, IgnoreFileInvalid, OSError) as problem:
        return Failed(FailureCategory.START, True, f"what is to be built could not be laid out: {problem}")


def _publish(unit: ResolvedUnit, spec: ImageSpec, context: ExecutionContext, access: _Access) -> Outcome:
    registry, tag = access.registry, key_tag(context.execution_key)
    known = registry.manifest(tag)
    job = Job(
        unit,
        spec,
        stage(spec, context),
        context,
        registry,
        tag,
        access.login_file,
        known.digest if known else None,
    )
    pushed = _BUILDERS[spec.tool]().push(job)
    if not isinstance(pushed, Pushed):
        return _explained(pushed, registry)
    manifest = registry.manifest(pushed.digest)
    if manifest is None:
        raise RegistryError(f"{registry.repository.host} does not hold {pushed.digest}, which was just pushed")
    own = {*_published(context.receipt)[:1], *((job.known,) if job.known else ())}
    with context.stopping() as stop:
        for each in spec.tags:
            _set_tag(each, manifest, own, job, stop)
    return Succeeded(artifacts={ARTIFACT: _artifact(spec, manifest, registry, tag)}, versions=pushed.versions)


def look(unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> VerifyOutcome:
    """Whether the registry holds what a receipt names, every platform's image included."""
    spec, published = image_spec(unit.spec), _published(receipt)
    if not published:
        return Failed(FailureCategory.EXECUTION, False, "its receipt names no image")
    try:
        with _access(spec, context) as access:
            gone = [each for each in published if access.registry.manifest(each) is None]
    except (CredentialsUnfit, RegistryError) as problem:
        return _refused(problem)
    except OSError as problem:
        return Failed(FailureCategory.EXECUTION, True, str(problem))
    if gone:
        return Verified(True, f"the registry does not hold {spec.repository}@{gone[0]} any more")
    return Verified(False)


@contextmanager
def _access(spec: ImageSpec, context: ExecutionContext) -> Iterator[_Access]:
    """The registry, and the unit's logins in a file for as long as the block runs."""
    repository = Repository(spec.repository)
    if spec.logins is None:
        own = own_credentials(repository.host, context)
        yield _Access(Registry(repository, own, context.variables), None)
        return
    named = named_credentials(spec.logins, context)
    folder = context.temporary / "logins"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        file = login_file(folder, named)
        yield _Access(Registry(repository, named.get(repository.host), context.variables), file)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _refused(problem: CredentialsUnfit | RegistryError) -> Failed:
    """What it means that a registry, or a login to it, cannot be had. Another try may get over that."""
    if isinstance(problem, CredentialsUnfit):
        return Failed(FailureCategory.CREDENTIALS, True, str(problem))
    if isinstance(problem, RegistryDenied):
        fix = "name secrets with a login under registryAuth, or log in on this machine"
        return Failed(FailureCategory.CREDENTIALS, True, f"the registry denies access: {problem}; {fix}")
    return Failed(FailureCategory.EXECUTION, True, str(problem))


def _explained(ending: Failed | Uncertain, registry: Registry) -> Failed | Uncertain:
    """A failure, with its reason where that is the registry's. Raises RegistryError."""
    if isinstance(ending, Uncertain) or ending.category is not FailureCategory.EXECUTION:
        return ending
    try:
        registry.check_push()
    except RegistryDenied as problem:
        return Failed(FailureCategory.CREDENTIALS, True, f"{ending.message}; the registry denies pushing: {problem}")
    except RegistryError as problem:
        return Failed(FailureCategory.EXECUTION, True, f"{ending.message}; {problem}")
    return ending


def _set_tag(tag: str, manifest: Manifest, own: set[str], job: Job, stop: Stop) -> None:
    spec, registry = job.spec, job.registry
    named = registry.manifest(tag)
    there = named.digest if named else None
    match tag_action(manifest.digest, there, own, move=spec.move_tags):
        case TagAction.KEEP:
            return
        case TagAction.REFUSE:
            raise _TagTaken(
                f"the tag {tag} of {spec.repository} names {there}, which is not an image of this unit, so it was not "
                f"moved to {manifest.digest}; choose another tag, delete that one, or write moveTags: true"
            )
    if stop.requested:
        why = f"it passed its timeout of {format_duration(job.unit.timeout)}" if stop.timed_out else "it was cancelled"
        raise _Interrupted(f"{why} after it pushed {manifest.digest} and before it set the tag {tag}")
    try:
        registry.set_tag(tag, manifest)
    except TagRefused as problem:
        raise _TagTaken(
            f"the registry does not let the tag {tag} of {spec.repository} be set to {manifest.digest}: {problem}; "
            "choose tags that change with the image, or allow the registry to move them"
        ) from None


def _artifact(spec: ImageSpec, manifest: Manifest, registry: Registry, tag: str) -> dict[str, object]:
    images = registry.images(manifest)
    return {
        "apiVersion": _API_VERSION,
        "kind": _KIND,
        "repository": spec.repository,
        "digest": manifest.digest,
        "reference": f"{spec.repository}@{manifest.digest}",
        "platforms": [each.platform for each in images],
        "platformDigests": {each.platform: each.digest for each in images},
        "tags": [tag, *spec.tags],
    }


def _published(receipt: ReceiptFacts) -> tuple[str, ...]:
    """The digests that a receipt names, the image's or index's own first; none where there is no image."""
    found = receipt.artifacts.get(ARTIFACT)
    if not isinstance(found, Mapping) or "digest" not in found:
        return ()
    return tuple(dict.fromkeys([found["digest"], *found.get("platformDigests", {}).values()]))
