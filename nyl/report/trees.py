"""Reports of the commands on trees as text: counts, the paths that change, and diffs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nyl.engine.results import Report
from nyl.report.plaintext import inert_lines, one_line

_MOST_PATHS = 50
"""Paths of a tree that are told, edited ones aside: each of these is."""
_SIGNS = (("added", "+"), ("changed", "~"), ("removed", "-"))
_LEFT_SIGN = "!"
"""A file that was edited and is written by nothing, such as one that was removed and is rendered no more."""


def update_text(report: Report) -> str:
    """A tree that was written, published or checked; '' for one that was refused."""
    details = report.details
    if "target" not in details:
        return ""
    edited = frozenset(details["edited"])
    told = [(sign, path) for name, sign in _SIGNS for path in details[name]]
    told += [(_LEFT_SIGN, path) for path in sorted(edited.difference(path for _, path in told))]
    others = [path for _, path in told if path not in edited]
    kept = edited.union(others[:_MOST_PATHS])
    lines = [f"{details['target']}: {counts_text(details)} in {details['place']}"]
    lines += [
        f"  {sign} {one_line(path)}{' (edited outside nyl)' if path in edited else ''}"
        for sign, path in told
        if path in kept
    ]
    if len(others) > _MOST_PATHS:
        lines.append(f"  and {len(others) - _MOST_PATHS} more")
    lines += _commits(details)
    return "\n".join(lines) + "\n"


def difference_text(report: Report) -> str:
    """A comparison as one unified diff, below a line that says what was compared with what."""
    lines = [line for each in _differences(report) for line in inert_lines(each["diff"])]
    return "".join(f"{line}\n" for line in [*_compared(report), *lines])


def statistics_text(report: Report) -> str:
    """A comparison in numbers: lines that come and go of each file, and how many files change."""
    rows = [
        f"{one_line(each['path'])} | +{each['linesAdded']} -{each['linesRemoved']}" for each in _differences(report)
    ]
    return "".join(f"{row}\n" for row in [*_compared(report), *rows])


def _compared(report: Report) -> Iterator[str]:
    details = report.details
    if "target" not in details:
        return
    found = _differences(report)
    counts = {name: sum(each["change"] == name for each in found) for name, _ in _SIGNS}
    place = f"{details['place']} at " if "place" in details else ""
    yield one_line(
        f"# {details['target']}: {_counted(counts, details)}, compared with {place}{details['base'] or 'no commit'}"
    )
    if details.get("publication"):
        yield f"# state read at {details['publication']}"


def counts_text(details: Mapping[str, Any]) -> str:
    """How many files of a tree change, such as `1 added, 98 unchanged`."""
    return _counted({name: len(details[name]) for name, _ in _SIGNS}, details)


def _counted(counts: Mapping[str, int], details: Mapping[str, Any]) -> str:
    told = [f"{count} {name}" for name, count in counts.items() if count]
    if not told and details.get("indexChanged"):
        told = ["only the index changed"]
    return ", ".join([*told, f"{details['unchanged']} unchanged"])


def _commits(details: Mapping[str, Any]) -> Iterator[str]:
    if details.get("publication"):
        yield f"  state read at {details['publication']}"
    if "commit" in details:
        yield f"  published as {details['commit']}" if details["commit"] else "  nothing to publish: no commit was made"


def _differences(report: Report) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = report.details.get("differences", ())
    return found
