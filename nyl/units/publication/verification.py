"""Whether what a publication left is still on its branch, as it left it."""

from nyl.core.diagnostics import NylError
from nyl.core.enumerations import enumerated
from nyl.kubernetes.declared_targets import declared_target
from nyl.kubernetes.index import IndexOwner
from nyl.kubernetes.publication.branch import PublishedFolder
from nyl.kubernetes.tree_changes import edits_of
from nyl.units.driver import ExecutionContext, ReceiptFacts, ResolvedUnit
from nyl.units.outcomes import Verified, VerifyOutcome
from nyl.units.publication.artifact import TREE, index_digest
from nyl.units.publication.failures import NO_PROJECT, failed_by
from nyl.units.publication.ownership import described_owner


def verify(unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> VerifyOutcome:
    """Looks at the branch. A missing tree, another owner's, and files that somebody edited are drift."""
    source = context.source
    if source is None:
        return NO_PROJECT
    try:
        target = declared_target(source.project, unit.spec["target"])
        published = source.open_publication(target.publication)
        drift = _drift(published, IndexOwner(unit.environment, receipt.uid or ""), receipt)
    except NylError as error:
        return failed_by(error)
    return Verified(drift is not None, drift or "")


def _drift(published: PublishedFolder, own: IndexOwner, receipt: ReceiptFacts) -> str | None:
    place, index = published.place, published.index
    if published.commit is None:
        return f"the branch {place} is gone"
    if index is None:
        return f"there is no tree in {place.prefix or 'the root'} on {place}"
    if index.owner != own:
        whose = described_owner(index.owner) if index.owner else "nobody"
        return f"the tree in {place.prefix or 'the root'} on {place} is owned by {whose}"
    edits = sorted(edits_of(index.files, published.digests(index.files.keys(), {})))
    if edits:
        return f"edited outside nyl on {place}: {enumerated(edits)}"
    recorded = receipt.artifacts.get(TREE, {}).get("indexDigest")
    if recorded not in (None, index_digest(published)):
        return f"the index of the tree on {place} is not the one that was published"
    return None
