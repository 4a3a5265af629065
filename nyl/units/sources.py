"""Source fields: the part of a spec by which a kind names content in S, another revision, or another repository."""

from collections.abc import Mapping
from typing import Any

from nyl.units.inputs import SourceField

_NAME = {"type": "string", "minLength": 1}

SOURCE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["path"],
    "properties": {
        "path": {**_NAME, "description": "Relative to the project's folder, or to the root of another repository."},
        "repositoryRef": {
            "type": "object",
            "additionalProperties": False,
            "required": ["name"],
            "properties": {"name": {**_NAME, "description": "Name of a GitRepository of the project."}},
        },
        "repository": {
            "type": "object",
            "additionalProperties": False,
            "required": ["repoURL"],
            "properties": {"repoURL": _NAME, "publishURL": _NAME},
        },
        "revision": {**_NAME, "description": "A branch, tag or full ref."},
        "commit": {
            "type": "string",
            "pattern": "^([0-9a-f]{40}|[0-9a-f]{64})$",
            "description": "The commit of the revision to read, by its full id.",
        },
    },
    "dependentRequired": {"commit": ["revision"], "repositoryRef": ["revision"], "repository": ["revision"]},
    "not": {"required": ["repositoryRef", "repository"]},
}
"""JSON Schema of one source field."""


def source_field(pointer: str, value: Mapping[str, Any]) -> SourceField:
    """The source field that a spec holds at a pointer."""
    return SourceField(
        pointer=pointer,
        path=value["path"],
        repository=value.get("repository", {}).get("repoURL"),
        repository_ref=value.get("repositoryRef", {}).get("name"),
        revision=value.get("revision"),
        commit=value.get("commit"),
    )
