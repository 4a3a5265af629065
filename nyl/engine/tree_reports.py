"""What the commands on trees report: counts and paths, and for a comparison the differences themselves."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Severity
from nyl.core.exits import Exit
from nyl.engine.results import Report, ReportKind
from nyl.kubernetes.differences import ChangeKind, FileDifference
from nyl.kubernetes.tree import RenderedTree
from nyl.kubernetes.tree_update import TreeUpdate

RENDER = "render-tree"
DIFF = "diff-tree"
PUBLISH = "publish-tree"


def update_report(
    operation: str, tree: RenderedTree, update: TreeUpdate, told: Mapping[str, Any], extra: Iterable[Diagnostic] = ()
) -> Report:
    """The report of a tree that was written, published or checked."""
    changes = update.changes
    details = {
        **_facts(tree),
        **told,
        "added": list(changes.added),
        "changed": list(changes.changed),
        "removed": list(changes.removed),
        "edited": [each.path for each in changes.edits],
        "indexChanged": update.writes_index,
        "unchanged": len(tree.files) - len(changes.written),
    }
    diagnostics = (*tree.warnings, *extra)
    return Report(ReportKind.OPERATION, diagnostics=diagnostics, operation=operation, details=details)


def stale_tree(update: TreeUpdate, command: str) -> Diagnostic | None:
    """The finding of `render-tree --check`; None for a tree that is current."""
    if update.is_empty:
        return None
    changes = update.changes
    counts = (("added", changes.added), ("changed", changes.changed), ("removed", changes.removed))
    told = ", ".join(f"{len(paths)} {what}" for what, paths in counts if paths) or "only the index would change"
    message = f"The tree of {update.target} in {update.place} is not what the source renders: {told}."
    return Diagnostic(Code.TREE_STALE, message, f"run `{command}` and commit the result")


def difference_report(
    tree: RenderedTree,
    differences: Sequence[FileDifference],
    told: Mapping[str, Any],
    warnings: Iterable[Diagnostic] = (),
    *,
    exit_hint: Exit = Exit.OK,
) -> Report:
    """The report of a comparison."""
    details = {
        **_facts(tree),
        **told,
        "differences": [
            {
                "path": each.path,
                "change": each.kind.value,
                "linesAdded": each.lines_added,
                "linesRemoved": each.lines_removed,
                "diff": each.diff,
            }
            for each in differences
        ],
        "unchanged": len(tree.files) - sum(each.kind is not ChangeKind.REMOVED for each in differences),
    }
    diagnostics = (*tree.warnings, *warnings)
    return Report(ReportKind.OPERATION, (), diagnostics, DIFF, details, exit_hint)


def as_warnings(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """What would stop a publication, for an operation that only shows it."""
    return [replace(each, severity=Severity.WARNING) for each in diagnostics]


def _facts(tree: RenderedTree) -> dict[str, Any]:
    return {
        "target": tree.target.name,
        "cluster": tree.cluster.name,
        "source": tree.commit,
        "releases": tree.releases,
        "files": len(tree.files),
    }
