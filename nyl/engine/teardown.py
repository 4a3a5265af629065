"""`nyl teardown`: tears recorded units down because an operator says so. Renders nothing.

Follows the section Explicit teardown of the page Deletion and holds.
"""

from contextlib import closing

from nyl.engine.administration import environment_named
from nyl.engine.approval_arguments import approvals_by_environment
from nyl.engine.approvals import check_named
from nyl.engine.approver_sources import find_approvers
from nyl.engine.approvers import ApproverLookup
from nyl.engine.commit_identity import commit_identity
from nyl.engine.equipment import Equipment
from nyl.engine.requests import TeardownRequest
from nyl.engine.results import EnvironmentReport, Report, ReportKind
from nyl.engine.run_context import InvocationContext
from nyl.engine.source_projects import SourceProjects
from nyl.engine.teardown_run import TeardownRun
from nyl.engine.workspace import Workspace


def tear_down(
    workspace: Workspace,
    request: TeardownRequest,
    lookup: ApproverLookup | None = None,
) -> Report:
    """Tears down the named units of an environment, or all of them.

    Raises NYL-COMMIT-IDENTITY-MISSING and NYL-ENVIRONMENT-UNKNOWN before anything runs, NYL-UNIT-UNKNOWN for a unit
    that the state does not hold, NYL-APPROVAL-INVALID, and what taking the lease raises.
    """
    section = tear_down_environment(workspace, request, lookup)
    return Report(ReportKind.TEARDOWN, (section,))


def tear_down_environment(
    workspace: Workspace,
    request: TeardownRequest,
    lookup: ApproverLookup | None = None,
) -> EnvironmentReport:
    """The same as the section of a report."""
    identity = commit_identity(workspace, request.author)
    environment = environment_named(workspace, request.environment)
    choice = request.approval
    approvals = approvals_by_environment(choice.units, [environment.name], everything=choice.everything)
    if not request.everything:
        check_named(environment.name, approvals[environment.name], request.units)
    approvers = find_approvers(workspace, identity, choice, approvals, lookup)
    equipment = Equipment.of(workspace, SourceProjects(workspace, identity))
    context = InvocationContext(equipment, request, identity, approvals=approvals, approvers=approvers)
    with closing(equipment.sources):
        return TeardownRun(context, environment).report()
