"""The builder buildx, by `docker buildx build`. Which of its builders works is the user's choice."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from nyl.core.canonical import is_digest
from nyl.units.images.building import Job, Pushed, ended
from nyl.units.outcomes import Failed, FailureCategory, Uncertain

_PROGRAM = ("docker", "buildx")
_DIGEST = "containerimage.digest"


class Buildx:
    """Builds all platforms and pushes them in one go."""

    def push(self, job: Job) -> Pushed | Failed | Uncertain:
        """Builds an image and pushes it under the job's tag."""
        version = job.context.run([*_PROGRAM, "version"], capture_stdout=True)
        bad = ended("docker buildx version", version, job.unit)
        if isinstance(bad, Uncertain):
            return bad
        if version.exit_code != 0:
            problem = "is not on PATH" if version.missing else "has no buildx"
            return Failed(
                FailureCategory.START,
                True,
                f"docker {problem}; install Docker with its buildx plugin, or write builder: {{tool: buildah}}",
            )
        versions = {"buildx": _version(version.stdout)}
        bad = self._build(job, push=True)
        digest = _digest(_metadata_file(job)) if bad is None else self._refused(job, bad)
        if digest is None:
            return bad or Failed(FailureCategory.OUTPUTS, True, "docker buildx build wrote no digest")
        return Pushed(digest, versions)

    def _refused(self, job: Job, bad: Failed | Uncertain) -> str | None:
        """The digest of the image whose push failed, if the tag names it already: registries may refuse that too."""
        if isinstance(bad, Uncertain) or job.known is None or self._build(job, push=False) is not None:
            return None
        digest = _digest(_metadata_file(job))
        return digest if digest == job.known else None

    def _build(self, job: Job, *, push: bool) -> Failed | Uncertain | None:
        _metadata_file(job).unlink(missing_ok=True)
        argv = [*_PROGRAM, "build", *build_options(job, push=push), str(job.staged.context)]
        variables = {"SOURCE_DATE_EPOCH": "0", **_login_variables(job)}
        result = job.context.run(argv, variables=variables, cwd=job.context.temporary)
        return ended("docker buildx build", result, job.unit)


def build_options(job: Job, *, push: bool) -> list[str]:
    """The options of `docker buildx build`."""
    spec, staged = job.spec, job.staged
    output = f"type=image,name={job.reference},push={'true' if push else 'false'},rewrite-timestamp=true"
    return [
        *("--progress", "plain", "--provenance=false", "--sbom=false"),
        *("--file", str(staged.dockerfile), "--metadata-file", str(_metadata_file(job))),
        *(("--platform", ",".join(spec.platforms)) if spec.platforms else ()),
        *(("--target", spec.target) if spec.target else ()),
        *("--build-arg", "SOURCE_DATE_EPOCH=0"),
        *(word for name, value in (spec.build_args or {}).items() for word in ("--build-arg", f"{name}={value}")),
        *(word for name, path in staged.contexts.items() for word in ("--build-context", f"{name}={path}")),
        *(word for each in spec.cache_from for word in ("--cache-from", each)),
        *(word for each in (spec.cache_to if push else ()) for word in ("--cache-to", each)),
        *("--output", output),
    ]


def _metadata_file(job: Job) -> Path:
    return job.context.temporary / "metadata.json"


def _login_variables(job: Job) -> Mapping[str, str]:
    """Where docker finds the unit's logins, and still its own plugins and builders."""
    if job.login_file is None:
        return {}
    variables, folder = job.context.variables, job.login_file.parent
    own = Path(variables.get("DOCKER_CONFIG") or f"{variables.get('HOME', '/')}/.docker")
    with suppress(OSError):
        for each in own.iterdir():
            if each.name != job.login_file.name and not (folder / each.name).is_symlink():
                (folder / each.name).symlink_to(each)
    return {"DOCKER_CONFIG": str(folder), "BUILDX_CONFIG": variables.get("BUILDX_CONFIG") or str(own / "buildx")}


def _digest(path: Path) -> str | None:
    """The digest of what was built, as the metadata file tells."""
    try:
        digest = json.loads(path.read_bytes())[_DIGEST]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return str(digest) if is_digest(digest) else None


def _version(printed: bytes) -> str:
    """Of `github.com/docker/buildx v0.19.0 …`."""
    words = printed.decode(errors="replace").split()
    return words[1] if len(words) > 1 else "unknown"
