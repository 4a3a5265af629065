"""Reports as the schemas of the package want them."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

import nyl

_SCHEMAS = Path(nyl.__file__).parent / "report" / "schemas"


def check_report(document: Any) -> None:
    """Fails when a document is a report that its kind's schema does not accept. Other documents pass."""
    kind = document.get("kind") if isinstance(document, dict) else None
    if isinstance(kind, str) and document.get("apiVersion") == "report.nyl/v1":
        problems = [f"{each.json_path}: {each.message}" for each in _validator(kind).iter_errors(document)]
        assert not problems, problems


@cache
def _validator(kind: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads((_SCHEMAS / f"{kind}.json").read_text("utf-8")))
