"""What a command on a tree of manifests found or did, as blocks: the files that change, and their diffs, collapsed."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from nyl.core.counts import counted
from nyl.core.diagnostics import Severity
from nyl.engine.results import Report
from nyl.report.markdown.budget import Block, Part, Rank
from nyl.report.markdown.escape import code, fence, html_code
from nyl.report.markdown.listings import folded

_KINDS = ("removed", "changed", "added")
_FRAME = 90
"""Bytes of a collapsed block around its diff."""

_Difference = Mapping[str, Any]


def is_tree(report: Report) -> bool:
    """Whether a report is about a tree."""
    return "target" in report.details and "unchanged" in report.details


def tree_blocks(report: Report) -> Iterator[Block | None]:
    """The headline, what was edited outside nyl, the files by what becomes of them, then the diffs."""
    files = {kind: list(_paths(report, kind)) for kind in _KINDS}
    yield Block.title(Rank.HEADLINE, _head(report, files), Part.FILES)
    yield _edited_block(report.details.get("edited", ()))
    for kind in _KINDS:
        yield _files_block(kind, files[kind])
    for each in report.details.get("differences", ()):
        yield _diff_block(each)


def _head(report: Report, files: Mapping[str, Sequence[str]]) -> str:
    errors = sum(each.severity is Severity.ERROR for each in report.all_diagnostics)
    told = [f"{len(files[kind])} {kind}" for kind in reversed(_KINDS) if files[kind]]
    words = [*([counted(errors, "error")] if errors else []), *told]
    nothing = "only the index changed" if report.details.get("indexChanged") else "no changes"
    title = f"## Tree of {code(report.details['target'])}: {', '.join(words) or nothing}"
    facts = [counted(report.details["files"], "file"), f"{report.details['unchanged']} of them unchanged"]
    against = report.details.get("base")
    facts += [f"compared with {code(against)}"] if against else []
    return f"{title}\n\n{', '.join(facts)}."


def _edited_block(edited: Sequence[str]) -> Block | None:
    if not edited:
        return None
    opening = f"> [!CAUTION]\n> **{counted(len(edited), 'file')} edited outside nyl**\n>"
    items = (opening, *(f"\n> - {code(path)}" for path in edited))
    least = (items[0] + items[1], *items[2:])
    return Block(Rank.ALARMS, lambda: "".join(least), Part.FILES, 0, lambda: least, Part.FILES)


def _files_block(kind: str, paths: Sequence[str]) -> Block | None:
    if not paths:
        return None
    text = partial(_listed, kind, paths)
    return Block(Rank.DETAILS, text, Part.FILES, len(paths), at_least=sum(len(path) + 4 for path in paths))


def _listed(kind: str, paths: Sequence[str]) -> str:
    return folded(f"{counted(len(paths), 'file')} {kind}", "\n".join(f"- {code(path)}" for path in paths))


def _diff_block(each: _Difference) -> Block:
    size = f"+{each['linesAdded']} -{each['linesRemoved']}"
    summary = f"{html_code(each['path'])}: {each['change']}, {size}"
    text = partial(_diff, summary, each["diff"])
    return Block(Rank.WARNINGS, text, Part.DIFFS, at_least=_FRAME + len(each["diff"]))


def _diff(summary: str, diff: str) -> str:
    return folded(summary, fence(diff, "diff"))


def _paths(report: Report, kind: str) -> Iterator[str]:
    yield from report.details.get(kind, ())
    yield from (each["path"] for each in report.details.get("differences", ()) if each["change"] == kind)
