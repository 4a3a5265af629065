"""Tearing a publication down: its Applications leave the branch, Argo CD gets its time, then the rest leaves it.

Follows Publication teardown waits of the page Deletion and holds. Nothing is rendered: the index on the branch says
what there is. Where somebody else moves the branch meanwhile, all is decided again on its new head.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from nyl.core.clock import Instant
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.enumerations import enumerated
from nyl.kubernetes.declared_targets import declared_target
from nyl.kubernetes.publication.withdrawal import (
    Withdrawal,
    withdraw,
    withdrawal_of_applications,
    withdrawal_of_tree,
)
from nyl.kubernetes.targets import effective_target
from nyl.units.driver import ExecutionContext, ReceiptFacts, ResolvedUnit, TeardownOrder
from nyl.units.outcomes import (
    AwaitingApproval,
    Failed,
    PlanOutcome,
    Removed,
    TeardownOutcome,
    Waiting,
)
from nyl.units.publication.failures import NO_PROJECT, failed, failed_by
from nyl.units.publication.observing import keep_looking
from nyl.units.publication.racing import in_spite_of_others
from nyl.units.publication.standing_tree import StandingTree, standing_tree
from nyl.units.publication.teardown_plan import no_teardown, planned_teardown
from nyl.units.publication.waiting import (
    Over,
    Sighting,
    Wait,
    WaitStrategy,
    over_by_order,
    over_by_policy,
    recorded_wait,
    wait_policy,
    why_it_waits,
)
from nyl.units.source_project import SourceProject

_SPARE_SECONDS = 30
"""What a run that keeps looking leaves of the unit's time for what comes after that."""
_AT_ONCE_SECONDS = 5
"""How long the engine's own look at the holds counts, which was right before the driver was called."""


def tear_down(
    unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts, order: TeardownOrder
) -> TeardownOutcome:
    """Goes on with a teardown from where it is. What fails had no effect, and may be tried again.

    Uncertain where a push may have arrived: the next try sees what is there.
    """
    if context.source is None:
        return NO_PROJECT
    try:
        wait = recorded_wait(order.progress) if order.progress is not None else None
    except ValueError as error:
        return failed(f"what is recorded of its wait cannot be read: {error}")
    try:
        return _Teardown(unit, context, context.source, receipt, order).outcome(wait)
    except NylError as error:
        return failed_by(error)


def plan_teardown(unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> PlanOutcome:
    """What a teardown would remove now."""
    if context.source is None:
        return NO_PROJECT
    try:
        tree = _Teardown(unit, context, context.source, receipt, TeardownOrder()).tree(started=False)
    except NylError as error:
        return failed_by(error)
    if isinstance(tree, Removed):
        return no_teardown(unit.environment, unit.spec["target"])
    return tree if isinstance(tree, Failed) else planned_teardown(unit.environment, tree, wait_policy(unit.spec))


class _Teardown:
    """One step of a teardown."""

    def __init__(
        self,
        unit: ResolvedUnit,
        context: ExecutionContext,
        source: SourceProject,
        receipt: ReceiptFacts,
        order: TeardownOrder,
    ) -> None:
        self._unit = unit
        self._context = context
        self._source = source
        self._receipt = receipt
        self._order = order
        self._policy = wait_policy(unit.spec)

    def outcome(self, wait: Wait | None) -> TeardownOutcome:
        """What comes of it. Raises NylError where it had no effect."""
        over = over_by_order(wait, self._order)
        if wait is not None and not self._order.confirm_removed:
            looked = self._look(wait)
            if isinstance(looked, Over):
                over = looked
            elif over is None:
                return looked
        if over is None:
            return self._alone(self._begin)
        return self._alone(partial(self._finish, over, started=wait is not None or self._order.confirm_removed))

    def tree(self, *, started: bool) -> StandingTree | Failed | Removed:
        """What is on the branch now. Raises NylError."""
        target = declared_target(self._source.project, self._unit.spec["target"])
        published = self._source.open_publication(target.publication)
        return standing_tree(self._unit, target, published, self._receipt, self._order, started=started)

    def _alone(self, step: Callable[[], TeardownOutcome]) -> TeardownOutcome:
        """The outcome of a step that changes the branch, while no other unit of this run does."""
        target = declared_target(self._source.project, self._unit.spec["target"])
        with self._source.exclusively(target.publication):
            return in_spite_of_others(step)

    def _begin(self) -> TeardownOutcome:
        """Publishes the removal of the Applications."""
        tree = self.tree(started=False)
        if isinstance(tree, Failed | Removed):
            return tree
        if self._context.approved_digest is not None:
            digest = planned_teardown(self._unit.environment, tree, self._policy).digest
            if digest != self._context.approved_digest:
                return AwaitingApproval(digest)
        if tree.edits:
            return _edited(tree)
        children = tree.children
        if not children and tree.former_children == ():
            return self._finish(Over("there were no Applications to wait for"), started=True)
        if children:
            self._withdraw(tree, withdrawal_of_applications(tree.index, children))
        # Otherwise an earlier try came as far as that, and nobody recorded it.
        wait = Wait(self._now(), tuple(str(each) for each in children or tree.former_children or ()))
        # What this did is on record before anything looks for Applications, so that their names are never lost.
        goes_on = self._policy.strategy is WaitStrategy.OBSERVE
        return Waiting(why_it_waits(self._policy, wait, None, self._confirm), wait.progress, again=goes_on)

    def _look(self, wait: Wait) -> Over | Waiting:
        """Whether a wait is over, or what it goes on for."""
        began = time.monotonic()
        seen = self._sighting(wait)
        over = over_by_policy(self._policy, wait, self._now(), seen)
        if over is None:
            return Waiting(why_it_waits(self._policy, wait, seen, self._confirm), wait.progress)
        if wait.confirmed or time.monotonic() - began < _AT_ONCE_SECONDS:
            return over
        # Somebody may have held the unit while this looked, which the engine finds out before it calls again.
        return Waiting(over.confirmed, replace(wait, confirmed=over.confirmed).progress, again=True)

    def _sighting(self, wait: Wait) -> Sighting | None:
        if self._policy.strategy is not WaitStrategy.OBSERVE or wait.confirmed or not wait.applications:
            return None
        declarations = self._source.session.declarations
        target = declared_target(self._source.project, self._unit.spec["target"])
        cluster = declarations.clusters[effective_target(declarations, target).argocd_cluster]
        wanted = self._policy.duration.total_seconds() if self._policy.duration else 0
        most = max(0.0, min(wanted, self._unit.timeout.total_seconds() - _SPARE_SECONDS))
        seen = keep_looking(self._context, cluster.context, wait.applications, most)
        if seen.problem:
            self._context.warn(
                f"It could not be seen whether the Applications of {target.name} are gone: {seen.problem}.",
                f"let kubectl reach the cluster of Argo CD from here, or confirm the removal with `{self._confirm}`",
            )
        return seen

    def _finish(self, over: Over, *, started: bool) -> TeardownOutcome:
        """Removes the rest of the tree."""
        tree = self.tree(started=started)
        if isinstance(tree, Failed):
            return tree
        if isinstance(tree, Removed):
            return _removed(over, tree.incomplete)
        if tree.edits and not self._order.allow_incomplete:
            return _edited(tree)
        self._withdraw(tree, withdrawal_of_tree(tree.index, tree.digests))
        left = f"edited files stay in {tree.place}: {enumerated(tree.edits)}" if tree.edits else ""
        return _removed(over, left)

    def _withdraw(self, tree: StandingTree, removal: Withdrawal) -> None:
        """Raises NYL-RUN-CANCELLED where the run was, or the unit's time is over, before anything is pushed."""
        with self._context.stopping() as stop:
            if stop.requested:
                what = "The time of the unit was over" if stop.timed_out else "The run was cancelled"
                raise NylError(Code.RUN_CANCELLED, f"{what} before anything was removed.", "run the command again")
            committer = self._source.committer()
            withdraw(tree.published, removal, tree.target.name, committer, lambda: not stop.requested)

    @property
    def _confirm(self) -> str:
        return f"nyl teardown -e {self._unit.environment} --unit {self._unit.name} --confirm-removed"

    def _now(self) -> Instant:
        return Instant(self._source.committer().seconds * 1_000_000_000)


def _removed(over: Over, left: str) -> Removed:
    return Removed("; ".join(each for each in (over.incomplete, left) if each), over.confirmed)


def _edited(tree: StandingTree) -> Failed:
    return failed(
        f"files that nyl owns in {tree.place} are not as nyl left them: {enumerated(tree.edits)}; undo these edits, or "
        "pass --allow-incomplete to leave the files there"
    )
