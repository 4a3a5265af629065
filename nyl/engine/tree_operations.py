"""The commands on trees of manifests: writing one into a folder, comparing it, publishing it."""

from collections.abc import Mapping
from pathlib import Path

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, NylError
from nyl.core.enumerations import enumerated
from nyl.core.exits import Exit
from nyl.engine.commit_identity import commit_identity
from nyl.engine.events import Step
from nyl.engine.owned_trees import check_unowned
from nyl.engine.publications import PublicationOnDemand
from nyl.engine.remotes import SourceRemote
from nyl.engine.results import Report
from nyl.engine.target_trees import TargetTrees, target_trees
from nyl.engine.tree_reports import PUBLISH, RENDER, as_warnings, difference_report, stale_tree, update_report
from nyl.engine.tree_requests import Against, DiffTreeRequest, PublishTreeRequest, RenderTreeRequest
from nyl.engine.workspace import Workspace
from nyl.git.own_place import ORIGIN
from nyl.git.status import worktree_changes
from nyl.kubernetes.differences import FileDifference, file_difference
from nyl.kubernetes.inputs.carrying import carry_paths
from nyl.kubernetes.inputs.provenance import RESERVED
from nyl.kubernetes.output_tree import OutputTree
from nyl.kubernetes.publication.landing import Committer
from nyl.kubernetes.publication.publishing import publish, published_update
from nyl.kubernetes.source_changes import source_changes
from nyl.kubernetes.tree import RenderedTree
from nyl.kubernetes.tree_update import TreeUpdate

_EXPRESSION = frozenset("~^:@{ ")
"""Characters of revisions that only a repository with their history knows, such as HEAD~1."""


def render_tree(workspace: Workspace, request: RenderTreeRequest) -> Report:
    """Writes the tree of a target below its prefix in the output folder, or says what that would change.

    Raises what rendering raises, NYL-TREE-EDITED, NYL-TREE-UNOWNED, NYL-TREE-FOREIGN and NYL-TREE-INDEX.
    """
    with target_trees(workspace, request) as trees:
        prefix = trees.target.publication.prefix
        folder = request.output_dir / prefix
        _check_output(workspace, folder)
        tree = trees.tree()
        _check_sources(workspace, folder, tree)
        _go_on(workspace, RENDER)
        workspace.listener(Step(None, f"looking through {folder}"))
        output = OutputTree(request.output_dir, prefix, lambda text: workspace.listener(Step(None, text)))
        if request.check_only:
            update = output.preview(tree)
            update.check(force=request.force)
        else:
            update = output.write(tree, force=request.force)
        stale = stale_tree(update, _command(request, tree)) if request.check_only else None
        told = {"place": update.place, **_read(trees.publication)}
        return update_report(RENDER, tree, update, told, [stale] if stale else [])


def diff_tree(workspace: Workspace, request: DiffTreeRequest) -> Report:
    """Compares the tree of the working tree with what is published, or with that of another source revision.

    What would stop a publication, such as files that were edited outside nyl, is told as a warning. Raises what
    rendering raises, NYL-TREE-FOREIGN, NYL-TREE-INDEX, and NYL-SOURCE-MISSING for a revision that is not there.
    """
    with target_trees(workspace, request) as trees:
        if request.against is Against.SOURCE:
            return _diff_with_source(workspace, trees, request)
        return _diff_with_published(trees, request)


def publish_tree(workspace: Workspace, request: PublishTreeRequest) -> Report:
    """Publishes the tree of HEAD as one commit on its branch; no commit where nothing changes.

    Raises what rendering raises, NYL-WORKTREE-DIRTY, NYL-COMMIT-IDENTITY-MISSING, NYL-TREE-EDITED, NYL-TREE-UNOWNED,
    NYL-TREE-FOREIGN, NYL-TREE-OWNED, NYL-TREE-INDEX, NYL-PUBLISH-OUTPACED and NYL-PUSH-REFUSED.
    """
    with target_trees(workspace, request, _head(workspace)) as trees:
        _check_clean(workspace, carry_paths(trees.target, workspace.project_folder))
        committer = Committer(commit_identity(workspace, request.author), workspace.clock.now().epoch_seconds)
        published = trees.publication.folder
        check_unowned(workspace, published)
        tree = trees.tree()
        update = published_update(tree, published)
        update.check(force=request.force)
        _go_on(workspace, PUBLISH)
        if not update.is_empty:
            workspace.listener(Step(None, f"publishing {tree.target.name} to {published.place}"))
        commit = publish(tree, update, published, committer, lambda: not workspace.cancelled())
        told = {"place": update.place, "base": published.commit, "commit": commit}
        return update_report(PUBLISH, tree, update, told)


def _diff_with_published(trees: TargetTrees, request: DiffTreeRequest) -> Report:
    published, tree = trees.publication.folder, trees.tree()
    update = published_update(tree, published, published.index.owner if published.index else None)
    changes = update.changes
    old = published.read_many((*changes.changed, *changes.removed))
    found = _differences(old, tree.contents.read_many(changes.written))
    told = {
        "against": request.against.value,
        "place": update.place,
        "base": published.commit,
        "edited": [each.path for each in changes.edits],
        "indexChanged": update.writes_index,
    }
    exit_hint = _exit(request, not update.is_empty)
    return difference_report(tree, found, told, as_warnings(_refusals(update)), exit_hint=exit_hint)


def _diff_with_source(workspace: Workspace, trees: TargetTrees, request: DiffTreeRequest) -> Report:
    base = _revision(workspace, request)
    old, new = trees.tree_at(base), trees.tree()
    before = old.files if old else {}
    changed = [path for path, facts in new.files.items() if path in before and before[path].sha256 != facts.sha256]
    gone = [path for path in before if path not in new.files]
    added = [path for path in new.files if path not in before]
    was = old.contents.read_many([*changed, *gone]) if old else {}
    found = _differences(was, new.contents.read_many([*changed, *added]))
    told: dict[str, object] = {"against": request.against.value, "base": base, "edited": []}
    told |= _read(trees.publication)
    return difference_report(new, found, told, exit_hint=_exit(request, bool(found)))


def _differences(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> list[FileDifference]:
    return [file_difference(path, old.get(path), new.get(path)) for path in sorted(old.keys() | new.keys())]


def _go_on(workspace: Workspace, operation: str) -> None:
    """Raises NYL-RUN-CANCELLED where the invocation was, before anything is written."""
    if workspace.cancelled():
        message = f"The {operation} was cancelled before it wrote anything."
        raise NylError(Code.RUN_CANCELLED, message, "run the command again")


def _exit(request: DiffTreeRequest, differs: bool) -> Exit:
    return Exit.WAITING if differs and request.detailed_exitcode else Exit.OK


def _refusals(update: TreeUpdate) -> tuple[Diagnostic, ...]:
    try:
        update.check(force=False)
    except NylError as error:
        return error.diagnostics
    return ()


def _revision(workspace: Workspace, request: DiffTreeRequest) -> str:
    """The commit of the source to compare with. Raises NYL-SOURCE-MISSING."""
    wanted = request.source_ref or "HEAD"
    found = workspace.objects.resolve(wanted)
    if found is not None:
        return found
    if wanted == "HEAD":
        raise NylError(
            Code.SOURCE_MISSING,
            "The repository has no commit yet to compare with.",
            "commit the project with `git add -A && git commit`, or name a branch of the remote with --source-ref",
        )
    if request.options.offline or set(wanted) & _EXPRESSION:
        raise NylError(
            Code.SOURCE_MISSING,
            f"There is no revision {wanted} here to compare with.",
            "correct --source-ref, or fetch it first: `git fetch --unshallow origin`, with actions/checkout "
            "`fetch-depth: 0`",
        )
    # A checkout of one commit has no remote-tracking branches.
    return SourceRemote(workspace).revision(wanted.removeprefix(f"{ORIGIN}/"))


def _read(publication: PublicationOnDemand) -> Mapping[str, str | None]:
    """The commit that publication state was read at, where any was."""
    return {"publication": publication.folder.commit} if publication.was_read else {}


def _command(request: RenderTreeRequest, tree: RenderedTree) -> str:
    return f"nyl {RENDER} --target {tree.target.name} --output-dir {request.output_dir}"


def _check_output(workspace: Workspace, folder: Path) -> None:
    """Raises NYL-PATH-REFUSED for a folder that holds the project, or Git's own."""
    place, project = folder.resolve(), workspace.folder.resolve()
    if project.is_relative_to(place) or any(part.lower() == ".git" for part in place.parts):
        what = "holds the project itself" if project.is_relative_to(place) else "is Git's own"
        raise NylError(
            Code.PATH_REFUSED,
            f"{folder} {what}, so no tree is written there.",
            "name another folder with --output-dir, such as `rendered`",
        )


def _check_sources(workspace: Workspace, folder: Path, tree: RenderedTree) -> None:
    """Raises NYL-PATH-REFUSED for a folder with sources of the tree: below a tree nothing counts as source."""
    place, root = folder.resolve(), workspace.root.resolve()
    for path in tree.inputs if place.is_relative_to(root) else ():
        if not path.startswith(RESERVED) and (root / path).is_relative_to(place):
            raise NylError(
                Code.PATH_REFUSED,
                f"{folder} holds {path}, which the tree is rendered from, so the tree cannot be written there.",
                "name another folder with --output-dir, such as `rendered`",
            )


def _head(workspace: Workspace) -> str:
    if workspace.head is None:
        raise NylError(
            Code.WORKTREE_DIRTY,
            "The repository has no commit yet, and what is published must be committed.",
            "commit the project with `git add -A && git commit`, then run the command again",
        )
    return workspace.head


def _check_clean(workspace: Workspace, carried: frozenset[str]) -> None:
    """Raises NYL-WORKTREE-DIRTY for changes of the source; carry files and rendered output are none."""
    dirty = source_changes(worktree_changes(workspace.repository), carried, workspace.project_folder)
    if dirty:
        raise NylError(
            Code.WORKTREE_DIRTY,
            f"The working tree differs from HEAD in {enumerated(dirty)}.",
            "commit or remove these changes, or let Git ignore files that are no source",
        )
