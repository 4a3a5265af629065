"""Which unit owns a published tree: the index records it, and a second owner is refused while the first one exists.

Follows the last paragraph of Multi-environment runs of the Runs page.
"""

from nyl.kubernetes.index import IndexOwner
from nyl.kubernetes.publication.branch import PublishedFolder
from nyl.units.outcomes import Failed, FailureCategory
from nyl.units.source_project import SourceProject


def described_owner(owner: IndexOwner) -> str:
    """The owner of a tree, as messages name it: whose unit it is, and where its state is recorded if that is known."""
    return f"a unit of {owner.environment}" + (f" (state in {owner.place})" if owner.place else "")


def refused_owner(published: PublishedFolder, own: IndexOwner, source: SourceProject) -> Failed | None:
    """Why a unit may not have a tree; None for one that nobody has, and for one whose owner is gone.

    Raises NYL-TREE-INDEX for an index that cannot be used.
    """
    index = published.index
    owner = index.owner if index else None
    if index is None or owner is None or owner == own:
        return None
    found = source.incarnation(index)
    if not found.exists:
        return None
    where = f"the tree in {published.place.prefix or 'the root'} on {published.place}"
    if found.obstacle is not None:
        told = (
            f"{where} is owned by a unit of environment {owner.environment}, which may still exist: {found.obstacle}; "
            f"{found.way_out}"
        )
    else:
        told = (
            f"{where} is owned by unit {owner.environment}/{found.unit}, which still exists: tear that unit down, drop "
            "it with `nyl state forget`, or publish another DeploymentTarget"
        )
    # Looking again does no harm, and nobody needs to say when the other unit is gone.
    return Failed(FailureCategory.OWNERSHIP, True, told)
