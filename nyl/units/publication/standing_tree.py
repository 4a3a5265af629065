"""The tree of a unit as it stands on its branch when it is to be torn down, and what there is to do without one."""

from collections.abc import Mapping
from functools import cached_property

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.core.enumerations import enumerated
from nyl.kubernetes.index import Index, IndexOwner
from nyl.kubernetes.publication.branch import PublishedFolder
from nyl.kubernetes.publication.withdrawal import ChildApplication, changed_files, child_applications
from nyl.kubernetes.resources import DeploymentTarget
from nyl.kubernetes.tree_changes import Edit
from nyl.units.driver import ReceiptFacts, ResolvedUnit, TeardownOrder
from nyl.units.outcomes import Failed, FailureCategory, Removed
from nyl.units.publication.artifact import TREE
from nyl.units.publication.ownership import described_owner


@dataclass(frozen=True)
class StandingTree:
    """A tree that the unit owns. `receipt` is what its last execution left."""

    target: DeploymentTarget
    published: PublishedFolder
    index: Index
    receipt: ReceiptFacts

    @property
    def place(self) -> str:
        """Where it is, as messages name it."""
        return place_of(self.published)

    @cached_property
    def digests(self) -> Mapping[str, str]:
        """The digests of the indexed files that are there."""
        return self.published.digests(self.index.files.keys(), {})

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        """The files that somebody changed since nyl wrote them."""
        return changed_files(self.index, self.digests)

    @cached_property
    def children(self) -> tuple[ChildApplication, ...]:
        """The Applications that its catalog has Argo CD bring about now."""
        return child_applications(self.published)

    @cached_property
    def former_children(self) -> tuple[ChildApplication, ...] | None:
        """Those that it had when it was published; None where that cannot be seen any more."""
        former = former_folder(self.published, self.receipt)
        return None if former is None else child_applications(former)


def standing_tree(
    unit: ResolvedUnit,
    target: DeploymentTarget,
    published: PublishedFolder,
    receipt: ReceiptFacts,
    order: TeardownOrder,
    *,
    started: bool,
) -> StandingTree | Failed | Removed:
    """The tree of a unit, or what its teardown comes to without one of its own.

    `started` says that Argo CD had, or needs, no word of the removal any more. Raises NYL-TREE-INDEX for an index that
    cannot be used, unless what is there may be left behind.
    """
    has_receipt = TREE in receipt.artifacts
    try:
        index = published.index
    except NylError as error:
        if error.diagnostic.code is not Code.TREE_INDEX or not order.allow_incomplete:
            raise
        return Removed(f"the tree in {place_of(published)} stays, as its index cannot be used")
    if index is None:
        return _without_tree(published, receipt, order, started=started) if has_receipt else Removed()
    if index.owner == IndexOwner(unit.environment, receipt.uid or "") and index.target == target.name:
        return StandingTree(target, published, index, receipt)
    if not has_receipt:
        return Removed()  # this incarnation published nothing
    if index.owner is None and index.target == target.name:
        return StandingTree(target, published, index, receipt)
    other = described_owner(index.owner) if index.owner else f"DeploymentTarget {index.target}"
    return _left(f"the tree in {place_of(published)} belongs to {other} by now", order)


def former_folder(published: PublishedFolder, receipt: ReceiptFacts) -> PublishedFolder | None:
    """The folder as the last execution left it; None where that commit is not to be had any more."""
    tree = receipt.artifacts.get(TREE)
    commit = tree.get("commit") if isinstance(tree, Mapping) else None
    return published.at(commit) if isinstance(commit, str) else None


def place_of(published: PublishedFolder) -> str:
    """Where a tree is, as messages name it."""
    return f"{published.place.prefix or 'the root'} on {published.place}"


def _without_tree(
    published: PublishedFolder, receipt: ReceiptFacts, order: TeardownOrder, *, started: bool
) -> Failed | Removed:
    former = former_folder(published, receipt)
    known = former.index.files if former is not None and former.index is not None else {}
    rest = sorted(path for path in known if published.entries.find(path) is not None)
    if rest:
        told = f"there is no index in {place_of(published)} any more, but files that it named: {enumerated(rest)}"
        return _left(told, order)
    if started:
        return Removed()
    return Removed(
        f"there was no tree in {place_of(published)} any more, so that Argo CD may not have been told to remove its "
        "workloads"
    )


def _left(what: str, order: TeardownOrder) -> Failed | Removed:
    """What cannot be removed is left behind only where an operator accepts that."""
    if order.allow_incomplete:
        return Removed(f"{what}; this was left there")
    fix = "put that right, or pass --allow-incomplete to leave it there"
    return Failed(FailureCategory.OWNERSHIP, True, f"{what}; {fix}")
