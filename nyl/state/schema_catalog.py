"""The JSON Schemas of the state documents, which the package carries."""

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def document_schema(kind: str) -> dict[str, Any]:
    """The schema of a kind of `nyl.state.codec.KINDS`. Unknown fields are allowed: a later version may add some."""
    schema: dict[str, Any] = json.loads(files("nyl.state").joinpath("schemas", f"{kind}.json").read_bytes())
    return schema
