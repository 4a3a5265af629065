"""`nyl reconcile`: runs what is missing or out of date in each selected environment, and records the results."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field

from nyl.core.diagnostics import NylError
from nyl.engine.approval_arguments import approvals_by_environment
from nyl.engine.approvals import check_named
from nyl.engine.approver_sources import find_approvers
from nyl.engine.approvers import ApproverLookup
from nyl.engine.commit_identity import commit_identity
from nyl.engine.environment_run import EnvironmentRun
from nyl.engine.equipment import Equipment
from nyl.engine.foreign import ForeignProducers, Preceding
from nyl.engine.interruptions import not_begun
from nyl.engine.invocation import Invocation, open_invocation
from nyl.engine.requests import ReconcileRequest
from nyl.engine.results import EnvironmentReport, Report, ReportKind, Result
from nyl.engine.run_context import ReconcileContext
from nyl.engine.selection import check_unit_names, units_by_environment
from nyl.engine.workspace import Workspace

_PROVIDED = frozenset({Result.CURRENT, Result.EXECUTED, Result.RECOVERED, Result.IMPORTED, Result.HELD, Result.DRIFTED})


@dataclass
class _Reconciling:
    """The environments of one invocation, one after the other, producers first."""

    invocation: Invocation
    context: ReconcileContext
    named: Mapping[str, frozenset[str]] | None
    preceding: dict[str, Preceding] = field(default_factory=dict)

    def section(self, name: str) -> EnvironmentReport:
        """Reconciles one environment. What it fails with becomes its report."""
        try:
            if self.context.is_cancelled():
                raise not_begun(name)
            prepared = self.invocation.prepare(name)
            only = self.named[name] if self.named is not None else None
            if only is not None:
                check_unit_names(name, only, prepared.units)
            workspace = self.context.workspace
            foreign = ForeignProducers(self.context.states, workspace.worktree.environments, self.preceding)
            run = EnvironmentRun(self.context, prepared, foreign, only)
            report = run.report()
        except NylError as error:
            self.preceding[name] = Preceding.failed(name, error)
            return EnvironmentReport.failed(name, error)
        if run.ended_early is not None:
            self.preceding[name] = Preceding.failed(name, run.ended_early)
            return report
        self.preceding[name] = Preceding(
            {
                each.unit: f"{name}/{each.unit} is {each.verdict}" + (f": {each.detail}" if each.detail else "")
                for each in run.verdicts
                if each.verdict not in _PROVIDED and each.unit not in run.readable
            }
        )
        return report


def reconcile(
    workspace: Workspace,
    request: ReconcileRequest,
    lookup: ApproverLookup | None = None,
) -> Report:
    """Runs every selected environment, however an earlier one ended, and reports them together.

    Raises NYL-COMMIT-IDENTITY-MISSING and NYL-APPROVAL-INVALID before anything runs, and what concerns no single
    environment.
    """
    identity = commit_identity(workspace, request.author)
    invocation = open_invocation(workspace, request.selection, request.source, identity)
    named = units_by_environment(request.units, invocation.order)
    choice = request.approval
    approvals = approvals_by_environment(choice.units, invocation.order, everything=choice.everything)
    for name, each in approvals.items():
        check_named(name, each, named[name] if named is not None else None)
    approvers = find_approvers(workspace, identity, choice, approvals, lookup)
    equipment = Equipment.of(workspace, invocation.sources)
    context = ReconcileContext(equipment, request, identity, approvals=approvals, approvers=approvers)
    reconciling = _Reconciling(invocation, context, named)
    with closing(invocation.sources):
        sections = tuple(reconciling.section(name) for name in invocation.order)
    return Report(ReportKind.RECONCILE, sections)
