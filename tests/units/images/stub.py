"""A `docker` that records its command lines and does as told, since no engine runs here."""

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
VERSION = "echo 'github.com/docker/buildx v0.19.0 abcdef'; exit"
WRITE = """echo '{"containerimage.digest": "%s", "containerimage.config.digest": "x"}' > "$metadata" """


def with_stub(image: ImageBench, act: str, version: str = VERSION) -> Path:
    """Puts a `docker` first on the PATH that does as told; the folder of what it records."""
    folder = image.folder / "stub"
    folder.mkdir(exist_ok=True)
    docker = folder / "docker"
    docker.write_text(STUB.format(folder=folder, act=act, version=version))
    docker.chmod(0o755)
    image.variables = {**image.variables, "PATH": f"{folder}:/usr/bin:/bin"}
    return folder


def pushes(image: ImageBench, digest: str) -> None:
    """Lets the builder push an image that is there already."""
    with_stub(image, WRITE % digest)
