"""Which state files a target owns on its publication branch, and what becomes of those that it owned.

Follows the paragraph on carryFileFromWorktree in the section Publication state of the page Release Inputs.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from nyl.kubernetes.inputs.carrying import publication_bindings
from nyl.kubernetes.resources import DeploymentTarget


@dataclass(frozen=True)
class StateOwnership:
    """What becomes of state files when a tree is published over another one. Paths are below the prefix."""

    adopted: frozenset[str]
    """Carried now and not owned before: what another tool committed there may be replaced."""
    released: frozenset[str]
    """Owned before and read by a binding that carries nothing: the file stays as it is there, and is owned no more."""


def kept_paths(target: DeploymentTarget, disabled_groups: Collection[str]) -> frozenset[str]:
    """The state files that bindings of disabled groups carry to: those that are owned stay so until one is enabled."""
    return frozenset(path for group, path, carries in _named(target) if carries and group in disabled_groups)


def state_ownership(
    target: DeploymentTarget, owned_before: Collection[str], owned_now: Collection[str], carried: Iterable[str]
) -> StateOwnership:
    """How the ownership of state files moves.

    `owned_before` are the files of the index that is there, `owned_now` those of the tree to be written, `carried` the
    state files among them. Every other file that is owned before and not now is removed, as a workload's is.
    """
    named = {path for _, path, _ in _named(target)}
    return StateOwnership(
        adopted=frozenset(path for path in carried if path not in owned_before),
        released=frozenset(path for path in named if path in owned_before and path not in owned_now),
    )


def _named(target: DeploymentTarget) -> list[tuple[str, str, bool]]:
    """Group, state file, and whether a file is carried to it, of each `fromPublication`."""
    return [
        (key.partition("/")[0], fields["path"], "carryFileFromWorktree" in fields)
        for key, fields in publication_bindings(target)
    ]
