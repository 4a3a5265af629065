"""The builder buildah, which needs no daemon. Storage and isolation are those of its own configuration."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nyl.core.canonical import is_digest
from nyl.units.images.building import Job, Pushed, ended, read_digest
from nyl.units.outcomes import Failed, FailureCategory, Uncertain

_PROGRAM = "buildah"


class _Stopped(Exception):
    def __init__(self, outcome: Failed | Uncertain) -> None:
        super().__init__()
        self.outcome = outcome


class Buildah:
    """Builds each platform by itself, joins several to an index, and pushes the result."""

    def push(self, job: Job) -> Pushed | Failed | Uncertain:
        """Builds an image and pushes it under the job's tag; nothing is pushed that is there already."""
        version = job.context.run([_PROGRAM, "--version"], capture_stdout=True)
        if version.missing:
            return Failed(FailureCategory.START, True, "buildah is not on PATH; install it, or choose builder.tool")
        bad = ended("buildah --version", version, job.unit)
        if bad is not None:
            return bad
        try:
            with _names(job) as names:
                built = [self._build(job, *each) for each in names.items()]
                digest = self._known(job, built) or self._pushed(job, built)
        except _Stopped as stopped:
            return stopped.outcome
        return Pushed(digest, {_PROGRAM: _version(version.stdout)})

    def _build(self, job: Job, name: str, platform: str | None) -> str:
        file = job.context.temporary / "image-id"
        file.unlink(missing_ok=True)
        _run(job, "build", *build_options(job, platform, file), "--tag", name, str(job.staged.context))
        image = read_digest(file)
        if image is None or not is_digest(image):
            raise _Stopped(Failed(FailureCategory.OUTPUTS, True, "buildah build wrote no image id"))
        return image

    def _known(self, job: Job, built: list[str]) -> str | None:
        """The digest that the tag names already, if that is what was built."""
        there = job.registry.manifest(job.known) if job.known else None
        if there is None or (there.platforms is None) != (len(built) == 1):
            return None
        return there.digest if sorted(each.config for each in job.registry.images(there)) == sorted(built) else None

    def _pushed(self, job: Job, built: list[str]) -> str:
        file = job.context.temporary / "digest"
        options = ["--digestfile", str(file), *_registry_options(job)]
        if len(built) == 1:
            _run(job, "push", *options, built[0], f"docker://{job.reference}")
        else:
            with _index(job, built) as name:
                _run(job, "manifest", "push", "--all", *options, name, f"docker://{job.reference}")
        digest = read_digest(file)
        if digest is None or not is_digest(digest):
            raise _Stopped(Failed(FailureCategory.OUTPUTS, True, "buildah push wrote no digest"))
        return digest


def build_options(job: Job, platform: str | None, image_id_file: Path) -> list[str]:
    """The options of `buildah build` for one platform."""
    spec, staged = job.spec, job.staged
    cached = bool(spec.cache_from or spec.cache_to)
    return [
        *("--layers" if cached else "--no-cache", "--force-rm", "--identity-label=false", "--timestamp", "0"),
        *("--ignorefile", f"{staged.dockerfile}.dockerignore", "--file", str(staged.dockerfile)),
        *("--iidfile", str(image_id_file)),
        *(("--platform", platform) if platform else ()),
        *(("--target", spec.target) if spec.target else ()),
        *(word for name, value in (spec.build_args or {}).items() for word in ("--build-arg", f"{name}={value}")),
        *(word for name, path in staged.contexts.items() for word in ("--build-context", f"{name}={path}")),
        *(word for each in spec.cache_from for word in ("--cache-from", each)),
        *(word for each in spec.cache_to for word in ("--cache-to", each)),
        *(("--authfile", str(job.login_file)) if job.login_file else ()),
    ]


def _registry_options(job: Job) -> list[str]:
    return [
        *(("--tls-verify=false",) if job.registry.repository.is_loopback else ()),
        *(("--authfile", str(job.login_file)) if job.login_file else ()),
    ]


@contextmanager
def _names(job: Job) -> Iterator[dict[str, str | None]]:
    """A local name for the image of each platform; what has one of them afterwards loses it.

    Images that are built alike are one image to buildah, so that it may be removed only when it has no name any more.
    """
    names = {f"localhost/nyl/build:{secrets.token_hex(8)}": platform for platform in job.spec.platforms or (None,)}
    try:
        yield names
    except BaseException:
        job.context.run([_PROGRAM, "rmi", *names], capture_stdout=True)
        raise
    removed = job.context.run([_PROGRAM, "rmi", *names], capture_stdout=True)
    if removed.signal is not None and not (removed.cancelled or removed.timed_out):
        bad = ended("buildah rmi", removed, job.unit)
        if bad is not None:
            raise _Stopped(bad)
    if removed.exit_code != 0 and not removed.cancelled:
        job.context.warn(
            f"What was built stays in buildah's storage as {', '.join(names)}.", f"run `buildah rmi {' '.join(names)}`"
        )


@contextmanager
def _index(job: Job, images: list[str]) -> Iterator[str]:
    """A local index of some images, which is gone afterwards."""
    name = f"localhost/nyl/index:{secrets.token_hex(8)}"
    _run(job, "manifest", "create", name)
    try:
        for image in images:
            _run(job, "manifest", "add", name, image)
        yield name
    finally:
        job.context.run([_PROGRAM, "manifest", "rm", name], capture_stdout=True)


def _run(job: Job, *words: str) -> None:
    what = " ".join([_PROGRAM, *(words[:2] if words[0] == "manifest" else words[:1])])
    bad = ended(what, job.context.run([_PROGRAM, *words], cwd=job.context.temporary), job.unit)
    if bad is not None:
        raise _Stopped(bad)


def _version(printed: bytes) -> str:
    """Of `buildah version 1.28.2 (image-spec …)`."""
    words = printed.decode(errors="replace").split()
    return words[2] if len(words) > 2 else "unknown"
