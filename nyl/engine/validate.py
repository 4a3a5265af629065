"""`nyl validate`: the whole project without state: schemas, templates, references and cycles of every environment, and
what its targets are rendered from."""

from collections.abc import Iterable

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.kubernetes_check import tree_problems
from nyl.engine.misdeclared import misdeclared
from nyl.engine.project_check import ProjectCheck
from nyl.engine.requests import ValidateRequest
from nyl.engine.results import EnvironmentReport, Report, ReportKind
from nyl.engine.selection import select_environments
from nyl.engine.workspace import Workspace
from nyl.project.resources import Environment


def validate(workspace: Workspace, request: ValidateRequest) -> Report:
    """Checks the project in the working tree, or at a commit. All its problems are in the report, and warnings of
    documents that nothing reads though they speak to nyl.

    With a selection only those environments are checked, circles that lead through others too, and no target. Reads no
    state and asks no remote.
    """
    at = None if request.at is None else _commit(workspace, request.at)
    project = workspace.worktree if at is None else workspace.project_at(at)
    chosen = request.selection
    selected: Iterable[Environment] = project.environments.values()
    if not chosen.is_empty:
        selected = select_environments(project.environments, project.groups, chosen)
    folder = workspace.project_folder if at is None else workspace.folder_at(at)
    check = ProjectCheck(project, folder, workspace.driver_of)
    problems = {each.name: check.problems(each) for each in sorted(selected, key=lambda each: each.name)}
    sections = tuple(EnvironmentReport(name, diagnostics=problems[name]) for name in check.order())
    if not chosen.is_empty:
        return Report(ReportKind.VALIDATE, sections, diagnostics=(*check.cycle(), *misdeclared(project)))
    found = (*check.cycle(), *misdeclared(project), *tree_problems(project, workspace.repository))
    return Report(ReportKind.VALIDATE, sections, diagnostics=found, targets=project.kubernetes.target_names())


def _commit(workspace: Workspace, revision: str) -> str:
    commit = workspace.objects.resolve(revision)
    if commit is None:
        raise NylError(
            Code.SOURCE_MISSING,
            f"There is no commit {revision} in this repository.",
            "name a commit, branch or tag that `git log` knows, or fetch it",
        )
    return commit
