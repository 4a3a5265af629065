"""What an OciImage's spec says, in types."""

import json
import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.core.pointers import join
from nyl.units.images.schema import BUILDX
from nyl.units.inputs import InputFiles, Inputs, SourceField
from nyl.units.sources import source_field

CONTEXT = "/context"
_CONTEXTS = "/contexts"
_IGNORE_FILES = (".containerignore", ".dockerignore")


@dataclass(frozen=True)
class Login:
    """The keys of the secrets by which one registry is logged in to."""

    username: str
    password: str


@dataclass(frozen=True)
class ImageSpec:
    """The spec of one image."""

    context: SourceField
    contexts: Mapping[str, SourceField]
    dockerfile: str
    """Relative to the context's folder, normalised."""
    repository: str
    tool: str
    target: str | None = None
    platforms: tuple[str, ...] = ()
    build_args: Mapping[str, str] | None = None
    tags: tuple[str, ...] = ()
    move_tags: bool = False
    cache_from: tuple[str, ...] = ()
    cache_to: tuple[str, ...] = ()
    logins: Mapping[str, Login] | None = None
    """By registry; None where the user's own logins are used."""

    def sources(self) -> Iterator[tuple[SourceField, tuple[str, ...]]]:
        """Each folder that is built from, with its ignore files in their order of precedence."""
        beside = tuple(f"{self.dockerfile}{each}" for each in _IGNORE_FILES)
        yield self.context, tuple(_below(self.context.path, each) for each in (*beside, *_IGNORE_FILES))
        for each in self.contexts.values():
            yield each, tuple(_below(each.path, name) for name in _IGNORE_FILES)

    @property
    def inputs(self) -> Inputs:
        """The files of every folder as its ignore file leaves them, and the Dockerfile."""
        folders = tuple(InputFiles((each.path,), each.pointer, ignore) for each, ignore in self.sources())
        dockerfile = InputFiles((_below(self.context.path, self.dockerfile),), CONTEXT)
        sources = (self.context, *self.contexts.values())
        return Inputs(sources=sources, files=(*folders, dockerfile), private=True, execution_only=True)


def image_spec(spec: Mapping[str, Any]) -> ImageSpec:
    """The spec of an image. References in build arguments may still be there.

    Raises NYL-PATH-REFUSED for a Dockerfile outside of its context, or a path that no literal folder can have.
    """
    cache = spec.get("cache", {})
    return ImageSpec(
        context=source_field(CONTEXT, spec["context"]),
        contexts={
            name: source_field(join(_CONTEXTS, name), each) for name, each in sorted(spec.get("contexts", {}).items())
        },
        dockerfile=_dockerfile(spec.get("dockerfile", "Dockerfile")),
        repository=spec["repository"],
        tool=spec.get("builder", {}).get("tool", BUILDX),
        target=spec.get("target"),
        platforms=tuple(spec.get("platforms", ())),
        build_args={name: _text(value) for name, value in sorted(spec.get("buildArgs", {}).items())},
        tags=tuple(spec.get("tags", ())),
        move_tags=bool(spec.get("moveTags")),
        cache_from=tuple(cache.get("from", ())),
        cache_to=tuple(cache.get("to", ())),
        logins=_logins(spec["registryAuth"]) if spec.get("registryAuth") else None,
    )


def secret_keys(spec: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys of the secrets that an image's spec names."""
    logins = _logins(spec.get("registryAuth", {}))
    return tuple(dict.fromkeys(key for each in logins.values() for key in (each.username, each.password)))


def _logins(auth: Mapping[str, Mapping[str, str]]) -> dict[str, Login]:
    return {host: Login(each["usernameSecret"], each["passwordSecret"]) for host, each in auth.items()}


def _dockerfile(path: str) -> str:
    normal = posixpath.normpath(path)
    if path.startswith("/") or normal == ".." or normal.startswith("../"):
        raise NylError(
            Code.PATH_REFUSED,
            f"The Dockerfile {path} is outside of the image's context.",
            "name a file inside the context, relative to its folder; or choose a context that holds it",
        )
    return normal


def _below(folder: str, path: str) -> str:
    return posixpath.join(folder, path)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
