"""Trees that units own: no command publishes one over its unit, which would put its own tree back."""

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.workspace import Workspace
from nyl.kubernetes.publication.branch import PublishedFolder


def check_unowned(workspace: Workspace, published: PublishedFolder) -> None:
    """Raises NYL-TREE-OWNED for a tree whose unit exists, or may exist because its state cannot be read."""
    index = published.index
    owner = index.owner if index else None
    if index is None or owner is None:
        return
    from nyl.engine.incarnations import find_owner

    found = find_owner(workspace, index)
    if not found.exists:
        return
    unit = f"unit {owner.environment}/{found.unit}" if found.unit else f"a unit of environment {owner.environment}"
    why = f", which may still exist: {found.obstacle}" if found.obstacle else ""
    option = f" --unit {found.unit}" if found.unit else ""
    raise NylError(
        Code.TREE_OWNED,
        f"The tree in {published.place.prefix or 'the root'} on {published.place} is owned by {unit}{why}.",
        found.way_out or f"publish it with `nyl reconcile -e {owner.environment}{option}`",
    )
