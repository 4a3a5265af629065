"""A `docker` that records its command lines and does as told, since no engine runs here; and a `buildah` that errs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.units.images.bench import ImageBench

BUILDX: Mapping[str, Any] = {"builder": {}}
"""Spec fields that choose buildx."""

STUB = """#!/bin/sh
[ "$2" = version ] && {{ {version}; }}
argv="$*"
printf '%s\\n' "$@" -- >> {folder}/argv
env > {folder}/environment
ls -A "$DOCKER_CONFIG" > {folder}/config 2>/dev/null
while [ $# -gt 1 ]; do [ "$1" = --metadata-file ] && metadata=$2; shift; done
{act}
"""
BUILDAH = """#!/bin/sh
act=$1
[ "$act" != --version ] || echo 'buildah version 1.28.2 (image-spec 1.0)'
while [ $# -gt 1 ]; do
  case "$1" in
    --iidfile) printf %s '{built}' > "$2" ;;
    --digestfile) printf %s '{pushed}' > "$2" ;;
  esac
  shift
done
[ "$act" != rmi ] || exit {removed}
"""
VERSION = "echo 'github.com/docker/buildx v0.19.0 abcdef'; exit"
WRITE = """echo '{"containerimage.digest": "%s", "containerimage.config.digest": "x"}' > "$metadata" """


def with_stub(image: ImageBench, act: str, version: str = VERSION) -> Path:
    """Puts a `docker` first on the PATH that does as told; the folder of what it records."""
    folder = image.folder / "stub"
    return _put(image, "docker", STUB.format(folder=folder, act=act, version=version))


def with_buildah(image: ImageBench, *, built: str, pushed: str, removed: int = 0) -> None:
    """Puts a `buildah` first on the PATH that tells these digests, and the exit code with which it removes."""
    _put(image, "buildah", BUILDAH.format(built=built, pushed=pushed, removed=removed))


def pushes(image: ImageBench, digest: str) -> None:
    """Lets the builder push an image that is there already."""
    with_stub(image, WRITE % digest)


def _put(image: ImageBench, name: str, text: str) -> Path:
    folder = image.folder / "stub"
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(text)
    program.chmod(0o755)
    image.variables = {**image.variables, "PATH": f"{folder}:/usr/bin:/bin"}
    return folder
