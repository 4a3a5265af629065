"""Keeping what comes from elsewhere in the project: `nyl vendor`."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, Location, NylError, Problems
from nyl.engine.publications import open_publication
from nyl.engine.rendering import open_carry_files, worktree_session
from nyl.engine.results import Report, ReportKind
from nyl.engine.workspace import Workspace
from nyl.kubernetes.compiler import compile_target
from nyl.kubernetes.expansion.artifacts import Artifacts, CachedArtifacts, title_of
from nyl.kubernetes.publication.branch import PublishedFolder
from nyl.kubernetes.resources import Publication
from nyl.kubernetes.session import RenderOptions, RenderSession, cached_artifacts
from nyl.kubernetes.vendoring.policy import Inspection, Recorder
from nyl.kubernetes.vendoring.snapshot import INDEX, Snapshot
from nyl.kubernetes.vendoring.writing import VendorChanges, planned_entries, vendor_changes, write_snapshot
from nyl.project.config import VendorMode

OPERATION = "vendor"


@dataclass(frozen=True)
class VendorRequest:
    """`nyl vendor`."""

    check_only: bool = False
    """Whether nothing is fetched and written, and the exit says whether the folder has what is needed."""
    prune: bool = False
    """Whether what no target needs goes."""
    refresh: bool = False
    """Whether everything is fetched once more."""


def vendor(workspace: Workspace, request: VendorRequest) -> Report:
    """Captures what rendering the targets of the working tree takes from elsewhere, or checks that it is there.

    Nothing is written when a target does not render. Raises NYL-VENDOR-DISABLED, NYL-VENDOR-IGNORED,
    NYL-VENDOR-CORRUPT for a damaged index, and what rendering raises.
    """
    if workspace.config.vendor.mode is VendorMode.DISABLED:
        message = "nyl.toml does not ask for vendoring: [vendor] mode is disabled."
        fix = 'write `mode = "preferred"` or `mode = "required"` below [vendor] of nyl.toml'
        raise NylError(Code.VENDOR_DISABLED, message, fix)
    options = RenderOptions(offline=request.check_only, refresh=request.refresh, no_cache=True)
    session = worktree_session(workspace, options, open_carry_files(workspace))
    if request.check_only:
        return _checked(workspace, session, prune=request.prune)
    return _captured(workspace, session, request)


def _captured(workspace: Workspace, session: RenderSession, request: VendorRequest) -> Report:
    folder = session.vendor_folder
    _check_visible(workspace, folder)
    known = _known(session, is_replaced=request.refresh)
    elsewhere = cached_artifacts(session.cache_folder, session.options)
    recorder = Recorder(known, elsewhere, request.refresh)
    _compile_all(workspace, session, recorder).raise_any()
    entries = planned_entries(known.entries, recorder.digests, prune=request.prune)
    if workspace.cancelled():
        raise NylError(Code.RUN_CANCELLED, "The invocation was cancelled; nothing was written.", "run it again")
    files = write_snapshot(workspace.root, folder, entries, recorder.found)
    changes = vendor_changes(known.entries, entries)
    return _report(folder, len(entries), changes, files)


def _checked(workspace: Workspace, session: RenderSession, *, prune: bool) -> Report:
    snapshot = Snapshot.read(session.tree, session.vendor_folder)
    inspection = Inspection(snapshot, CachedArtifacts(session.cache_folder / "artifacts", offline=True))
    found = _compile_all(workspace, session, inspection).diagnostics
    lacks_some = any(each.code is Code.VENDOR_MISSING for each in found)
    problems = [each for each in found if each.code is not Code.VENDOR_MISSING]
    problems += _damage(snapshot)
    missing = sorted(inspection.missing)
    # What a target that lacks something would go on to use is not known.
    unused = sorted(snapshot.entries.keys() - inspection.used) if prune and not lacks_some and not problems else []
    stale = [
        *(_stale(snapshot, f"{title_of(key)} is not in", "nyl vendor") for key in missing),
        *(_stale(snapshot, f"No target needs {title_of(key)}, which is in", "nyl vendor --prune") for key in unused),
    ]
    changes = VendorChanges(tuple(missing), (), tuple(unused))
    return _report(snapshot.folder, len(snapshot.entries), changes, diagnostics=(*problems, *stale))


def _report(
    folder: str,
    captured: int,
    changes: VendorChanges,
    files: Sequence[str] = (),
    diagnostics: tuple[Diagnostic, ...] = (),
) -> Report:
    details = {
        "folder": folder,
        "captured": captured,
        "added": list(changes.added),
        "changed": list(changes.changed),
        "removed": list(changes.removed),
        "files": list(files),
    }
    return Report(ReportKind.OPERATION, diagnostics=diagnostics, operation=OPERATION, details=details)


def _compile_all(workspace: Workspace, session: RenderSession, collector: Artifacts) -> Problems:
    """Renders every target through a collector, and gives what is wrong with any of them."""
    problems = Problems()
    collecting = replace(session, collector=collector)
    try:
        for target in collecting.declarations.targets.values():
            open_state = _published_or_cached if session.options.offline else _published
            try:
                compile_target(collecting, target, partial(open_state, workspace, target.publication))
            except NylError as error:
                problems.add(error)
    finally:
        collecting.close()
    return problems


def _published(workspace: Workspace, publication: Publication) -> PublishedFolder:
    return open_publication(workspace, publication, offline=False)


def _published_or_cached(workspace: Workspace, publication: Publication) -> PublishedFolder:
    """What the next rendering reads of the publication branch; without the network, what is known of it."""
    try:
        return _published(workspace, publication)
    except NylError as error:
        if error.diagnostic.code is not Code.REMOTE_UNAVAILABLE:
            raise
        return open_publication(workspace, publication, offline=True)


def _known(session: RenderSession, *, is_replaced: bool) -> Snapshot:
    try:
        return Snapshot.read(session.tree, session.vendor_folder)
    except NylError:
        if is_replaced:
            return Snapshot(session.tree, session.vendor_folder)
        raise


def _damage(snapshot: Snapshot) -> Iterable[Diagnostic]:
    for key in snapshot.entries:
        try:
            snapshot.get(key)
        except NylError as error:
            yield from error.diagnostics


def _stale(snapshot: Snapshot, what: str, command: str) -> Diagnostic:
    message = f"{what[0].upper()}{what[1:]} the vendor folder {snapshot.folder}."
    place = Location(f"{snapshot.folder}/{INDEX}")
    return Diagnostic(Code.VENDOR_STALE, message, f"run `{command}` and commit what it writes", location=place)


def _check_visible(workspace: Workspace, folder: str) -> None:
    ignored = workspace.repository.git("check-ignore", "-q", "--", f"{folder}/", cwd=workspace.root).code == 0
    if ignored:
        message = f"Git ignores the vendor folder {folder}, so that no commit would hold it."
        raise NylError(
            Code.VENDOR_IGNORED, message, "remove the pattern from .gitignore, or name another `path` of [vendor]"
        )
