"""JSON Schema of OciImage's own spec fields."""

from collections.abc import Mapping
from typing import Any

from nyl.units.sources import SOURCE_SCHEMA

BUILDAH = "buildah"
BUILDX = "buildx"

_HOST = r"(localhost|[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)+|[a-z0-9][a-z0-9.-]*(?=:))(:[0-9]+)?"
_END = r"(?![\s\S])"
"""The end itself: `$` also stands before a last newline in some languages, Python's among them."""

_PART = r"[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*"
_TAG = r"(?!nyl-[0-9a-f]{16}$)[A-Za-z0-9_][A-Za-z0-9._-]{0,127}"
_WORDS: Mapping[str, Any] = {"type": "array", "items": {"type": "string", "minLength": 1}, "uniqueItems": True}
_SECRET: Mapping[str, Any] = {"type": "string", "minLength": 1}

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "required": ["context", "repository"],
    "properties": {
        "context": {**SOURCE_SCHEMA, "description": "The folder that is built, less what its ignore file names."},
        "contexts": {
            "type": "object",
            "propertyNames": {"pattern": rf"^[a-z0-9][a-z0-9._/:-]*{_END}"},
            "additionalProperties": SOURCE_SCHEMA,
            "description": "More folders, for `COPY --from=NAME` and `FROM NAME`; each may be another repository's.",
        },
        "dockerfile": {
            "type": "string",
            "minLength": 1,
            "description": "The Dockerfile, relative to the context and inside it. Default: Dockerfile.",
        },
        "target": {
            "type": "string",
            "pattern": rf"^[A-Za-z0-9][A-Za-z0-9._-]*{_END}",
            "description": "The stage to build; the last one without it.",
        },
        "repository": {
            "type": "string",
            "pattern": f"^{_HOST}(/{_PART})+{_END}",
            "maxLength": 255,
            "x-reason": "must be a registry and a repository in it, in lower case and without a tag, such as "
            "registry.example.com/web",
            "description": "Registry and repository that the image is pushed to, such as registry.example.com/web.",
        },
        "platforms": {
            **_WORDS,
            "minItems": 1,
            "items": {
                "type": "string",
                "pattern": rf"^[a-z0-9]+/[a-z0-9_]+(/[a-z0-9.]+)?{_END}",
                "x-reason": "must be like linux/amd64",
            },
            "description": "Such as linux/amd64; several become one image index. Default: the builder's own.",
        },
        "buildArgs": {
            "type": "object",
            "propertyNames": {"pattern": f"^[A-Za-z_][A-Za-z0-9_]*{_END}"},
            "description": "Values of the Dockerfile's ARGs; what is no text is passed as JSON.",
        },
        "tags": {
            **_WORDS,
            "items": {
                "type": "string",
                "pattern": f"^{_TAG}{_END}",
                "x-reason": "must be at most 128 letters, digits, dots, dashes and underscores, and no tag of a key",
            },
            "description": "Tags beside the one that nyl makes of the execution key.",
        },
        "moveTags": {
            "type": "boolean",
            "description": "Whether tags may be moved that point to an image which is not this unit's.",
        },
        "builder": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "tool": {"enum": [BUILDX, BUILDAH], "description": "What builds and pushes. Default: buildx."},
            },
        },
        "cache": {
            "type": "object",
            "additionalProperties": False,
            "properties": {"from": _WORDS, "to": _WORDS},
            "description": "Where the builder reads and writes its build cache, as the builder itself names it.",
        },
        "registryAuth": {
            "type": "object",
            "minProperties": 1,
            "propertyNames": {"pattern": f"^{_HOST}{_END}"},
            "additionalProperties": {
                "type": "object",
                "additionalProperties": False,
                "required": ["usernameSecret", "passwordSecret"],
                "properties": {
                    "usernameSecret": {**_SECRET, "description": "Key of the secret that holds the user name."},
                    "passwordSecret": {**_SECRET, "description": "Key of the secret that holds the password or token."},
                },
            },
            "description": "How the builder and nyl log in to registries, by their hosts.",
        },
    },
}
"""Of a unit's spec, beside the fields that all kinds share."""
