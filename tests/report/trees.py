"""Reports of trees to render."""

from typing import Any

from nyl.engine.results import Report, ReportKind
from nyl.kubernetes.differences import file_difference

SOURCE = "5" * 40
_FACTS = {"target": "dev", "cluster": "shared", "source": SOURCE, "releases": 2, "files": 9}


def updated(**details: Any) -> Report:
    """A tree that was written."""
    lists: dict[str, Any] = {"added": [], "changed": [], "removed": [], "edited": [], "unchanged": 9}
    return _report("render-tree", {"place": "out/dev", **lists, **details})


def compared(files: dict[str, tuple[str | None, str | None]], **details: Any) -> Report:
    """A comparison: path -> content before and after."""
    found = [
        file_difference(path, *(each.encode() if each is not None else None for each in pair))
        for path, pair in files.items()
    ]
    differences = [
        {
            "path": each.path,
            "change": each.kind.value,
            "linesAdded": each.lines_added,
            "linesRemoved": each.lines_removed,
            "diff": each.diff,
        }
        for each in found
    ]
    told = {"against": "published", "base": "6" * 40, "edited": [], "unchanged": 7}
    return _report("diff-tree", {**told, "differences": differences, **details})


def _report(operation: str, details: dict[str, Any]) -> Report:
    return Report(ReportKind.OPERATION, operation=operation, details={**_FACTS, **details})
