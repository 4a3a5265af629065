"""Publishing a unit's tree: rendered as it was resolved, checked against the branch as it is, and pushed.

Where somebody else moves the branch meanwhile, everything that depends on the branch is done again on its new head.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, NylError
from nyl.core.durations import format_duration
from nyl.kubernetes.declared_targets import declared_target
from nyl.kubernetes.index import IndexOwner
from nyl.kubernetes.inputs.carrying import publication_bindings
from nyl.kubernetes.publication.branch import PublishedFolder
from nyl.kubernetes.publication.publishing import publish, published_update
from nyl.kubernetes.session import RenderSession
from nyl.kubernetes.tree_update import TreeUpdate
from nyl.units.driver import ExecutionContext, ReceiptFacts, ResolvedUnit
from nyl.units.outcomes import AwaitingApproval, Failed, Outcome, PlanOutcome, Succeeded
from nyl.units.publication.artifact import TREE, former_place, published_tree
from nyl.units.publication.failures import NO_PROJECT, failed, told_by
from nyl.units.publication.ownership import refused_owner
from nyl.units.publication.planning import planned_change
from nyl.units.publication.racing import in_spite_of_others
from nyl.units.publication.releases import RELEASES
from nyl.units.publication.rendering import UnitRendering, render_unit
from nyl.units.source_project import SourceProject
from nyl.units.stopping import Stop

_Answer = TypeVar("_Answer", Outcome, PlanOutcome)


def execute(unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
    """Publishes the tree of a unit."""
    return _carry_out(unit, context, lambda work: work.published())


def plan(unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> PlanOutcome:
    """What publishing the tree of a unit would change."""
    return _carry_out(unit, context, lambda work: work.planned(receipt))


def _carry_out(
    unit: ResolvedUnit, context: ExecutionContext, act: "Callable[[_Publication], _Answer]"
) -> "_Answer | Failed":
    """Lets a publication work until its time is over. Nothing that ends one early had an effect: the push is last."""
    source = context.source
    if source is None:
        return NO_PROJECT
    with context.stopping() as stop:
        session = replace(source.session, cancellation=stop.token)
        try:
            return act(_Publication(unit, context, source, session, stop))
        except NylError as error:
            if not stop.requested:
                return failed(told_by(error, lambda each: _fix(unit, each)))
            what = f"it passed its timeout of {format_duration(unit.timeout)}" if stop.timed_out else "it was cancelled"
            return failed(f"{what} before it published anything")
        finally:
            session.close()


class _Publication:
    """One publication of a unit at work."""

    def __init__(
        self, unit: ResolvedUnit, context: ExecutionContext, source: SourceProject, session: RenderSession, stop: Stop
    ) -> None:
        self._unit = unit
        self._context = context
        self._source = source
        self._session = session
        self._stop = stop
        self._target = declared_target(session.project, unit.spec["target"])
        self._rendering: UnitRendering | None = None

    def published(self) -> Outcome:
        """Publishes, and starts over where the branch moved meanwhile. Raises NylError without any effect."""
        return in_spite_of_others(self._attempt)

    def planned(self, receipt: ReceiptFacts) -> PlanOutcome:
        """What it would change now. Raises NylError."""
        change = self._change(receipt)
        if isinstance(change, Failed):
            return change
        self._warn(change.rendering)
        self._warn_of_refusal(change.update, receipt)
        return planned_change(self._unit.environment, change.rendering.tree, change.update)

    def _attempt(self) -> Outcome:
        """One try on the head of the branch as it is now. Raises NYL-PUBLISH-OUTPACED where it moves meanwhile.

        Other units of this run that publish to the branch wait for that, rather than outpacing each other.
        """
        if not self._reads_state:
            self._rendered(lambda: self._source.open_publication(self._target.publication))
        with self._source.exclusively(self._target.publication):
            return self._attempt_alone()

    def _attempt_alone(self) -> Outcome:
        receipt, context = self._context.receipt, self._context
        change = self._change(receipt)
        if isinstance(change, Failed):
            return change
        tree, update = change.rendering.tree, change.update
        approved = context.approved_digest
        if approved is not None:
            digest = planned_change(self._unit.environment, tree, update).digest
            if digest != approved:
                return AwaitingApproval(digest)
        update.check(force=receipt.drifted)
        self._go_on()
        commit = publish(tree, update, change.branch, self._source.committer(), self._may_go_on)
        self._warn(change.rendering)
        before = receipt.artifacts.get(TREE)
        artifact = published_tree(self._target, self._source, change.branch, update, commit, before)
        former = former_place(artifact, before)
        if former is not None:
            told = f"the tree is published to {update.place} now, and what was published before stays in {former}"
            self._context.warn(told, "remove the former tree from its branch once nothing deploys it any more")
        return Succeeded(artifacts={TREE: artifact})

    def _may_go_on(self) -> bool:
        return not self._stop.requested

    def _go_on(self) -> None:
        """Raises NYL-RUN-CANCELLED where the work has to end."""
        if not self._may_go_on():
            message = "The publication had to end before it published anything."
            raise NylError(Code.RUN_CANCELLED, message, "run the command again")

    def _change(self, receipt: ReceiptFacts) -> "_Change | Failed":
        environment = self._unit.environment
        owner = IndexOwner(environment, receipt.uid or "", self._source.state_of(environment))
        branch = self._source.open_publication(self._target.publication)
        rendering = self._rendered(lambda: branch)
        moved = self._moved(rendering)
        if moved is not None:
            return failed(moved)
        refused = refused_owner(branch, owner, self._source)
        return refused or _Change(rendering, branch, published_update(rendering.tree, branch, owner))

    @property
    def _reads_state(self) -> bool:
        return any(publication_bindings(self._target))

    def _rendered(self, open_state: Callable[[], PublishedFolder]) -> UnitRendering:
        """The tree: rendered anew for another head of the branch only where state of it is read."""
        if self._rendering is None or self._reads_state:
            self._rendering = render_unit(self._session, self._unit.spec, open_state)
        return self._rendering

    def _moved(self, rendering: UnitRendering) -> str | None:
        """What is not as it was when the unit was resolved; None where everything is."""
        resolved = self._unit.spec.get(RELEASES, {})
        if rendering.releases != resolved:
            names = sorted(rendering.releases.keys() | resolved.keys())
            moved = [each for each in names if rendering.releases.get(each) != resolved.get(each)]
            return f"inputs of {', '.join(moved)} changed since the unit was resolved: state of the publication moved"
        if self._context.fingerprint not in (None, rendering.fingerprint):
            return "what the tree is rendered from changed since the unit was resolved"
        return None

    def _warn_of_refusal(self, update: TreeUpdate, receipt: ReceiptFacts) -> None:
        """Tells of a plan what keeps it from being carried out as things are now."""
        try:
            update.check(force=receipt.drifted)
        except NylError as error:
            for each in error.diagnostics:
                self._context.warn(f"a run would refuse to publish. {each.message}", _fix(self._unit, each))

    def _warn(self, rendering: UnitRendering) -> None:
        for each in rendering.tree.warnings:
            self._context.warn(each.message, each.fix)


@dataclass(frozen=True)
class _Change:
    """A rendered tree beside the branch that it is published to."""

    rendering: UnitRendering
    branch: PublishedFolder
    update: TreeUpdate


def _fix(unit: ResolvedUnit, told: Diagnostic) -> str:
    if told.code is not Code.TREE_EDITED:
        return told.fix
    again = f"nyl reconcile -e {unit.environment} --unit {unit.name} --reapply --reason <text>"
    return f"make the change in the source and undo it there, or write over it with `{again}`"
