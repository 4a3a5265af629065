"""Which differences between HEAD and the working tree are changes of the source that trees are rendered from.

Follows Commands in the Kubernetes specification (carry files aside) and fromFile in the page Release Inputs, for which
rendered output is no source.
"""

from collections.abc import Collection, Mapping

from nyl.git.status import Changed, ChangeKind
from nyl.project.left_out import output_folders


def source_changes(changes: Mapping[str, Changed], carried: Collection[str], project_folder: str) -> list[str]:
    """The paths that differ, sorted; untracked carry files, and trees that were rendered here, are none of them."""
    untracked = {path for path, change in changes.items() if change.kind is ChangeKind.UNTRACKED}
    rendered = output_folders(untracked, project_folder)
    generated = {path for path in untracked if path in carried or path.startswith(rendered)}
    return sorted(changes.keys() - generated)
