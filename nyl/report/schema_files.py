"""The JSON Schemas of reports, one file a kind in `schemas/`."""

import json
from importlib.resources import files
from typing import Any

from nyl.engine.results import ReportKind


def report_schema(kind: ReportKind) -> dict[str, Any]:
    """The schema of a kind of report. Readers must accept fields that it does not name."""
    text = files("nyl.report").joinpath("schemas", f"{kind.value}.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
