"""Which state files the bindings of a target own, read or suspend: what becomes of those that the target owned.

Follows the paragraph on carryFileFromWorktree in the section Publication state of the page Release Inputs. A file that
no binding names any more is in none of these sets, and is removed like any other that a tree does not have any more.
"""

from collections.abc import Collection

from nyl.kubernetes.inputs.carrying import publication_bindings
from nyl.kubernetes.resources import DeploymentTarget


def read_state(target: DeploymentTarget) -> frozenset[str]:
    """The state files that bindings read without carrying: one that was owned stays, and is owned no more."""
    return frozenset(fields["path"] for _, fields in publication_bindings(target) if not _carries(fields))


def suspended_state(target: DeploymentTarget, disabled_groups: Collection[str]) -> frozenset[str]:
    """The state files that bindings of disabled groups carry: one that is owned stays so until a group is enabled."""
    return frozenset(
        fields["path"]
        for key, fields in publication_bindings(target)
        if _carries(fields) and key.partition("/")[0] in disabled_groups
    )


def _carries(fields: Collection[str]) -> bool:
    return "carryFileFromWorktree" in fields
