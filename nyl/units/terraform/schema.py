"""The fields of a Terraform or OpenTofu unit."""

from collections.abc import Mapping
from typing import Any

from nyl.units.sources import SOURCE_SCHEMA

_PATHS = {"type": "array", "items": {"type": "string", "minLength": 1}}


def unit_schema(tool: str) -> Mapping[str, Any]:
    """JSON Schema of the fields of a unit that a tool of this name looks after."""
    return {
        "type": "object",
        "properties": {
            "source": {**SOURCE_SCHEMA, "description": "The folder of the root module."},
            "files": {
                **_PATHS,
                "minItems": 1,
                "description": "Globs of the files that the module reads, local modules included: relative to what "
                "source's path is relative to. Default: all below source's path.",
            },
            "version": {
                "type": "string",
                "pattern": r"^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$",
                "description": f"The version that {tool} must have, exactly.",
            },
            "backend": {
                "type": "object",
                "description": f"Settings of the backend that the module declares, given to {tool} init in a file.",
            },
            "variables": {
                "type": "object",
                "description": "Values of the module's input variables, given in a private file.",
            },
            "varFiles": {
                **_PATHS,
                "description": "Files of variables, relative to the project's folder, that enter the execution key. "
                "Later files win over earlier ones, and variables over all files.",
            },
        },
        "required": ["source"],
    }
