"""The effective inputs of a target's Releases, each with its source: `nyl get inputs`."""

from dataclasses import field
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.engine.target_trees import target_trees
from nyl.engine.tree_requests import TreeRequest
from nyl.engine.workspace import Workspace
from nyl.kubernetes.inputs.reading import InputSource
from nyl.kubernetes.inputs.unit_values import UNKNOWN
from nyl.kubernetes.session import RenderOptions
from nyl.kubernetes.target_plan import plan_target


@dataclass(frozen=True)
class ListedInput:
    """An input that a Release has on a target. `detail` is the file that it comes from, with the pointer into it,
    or the reference to a unit, whose value is not known here.

    Tables show the value as JSON, as `--input` takes it.
    """

    release: str
    input: str
    source: InputSource
    detail: str
    value: Any = field(metadata={"json": True})


def list_inputs(workspace: Workspace, target: str | None, *, offline: bool = False) -> list[ListedInput]:
    """The inputs of every Release that a target renders from the working tree, by Release and in declared order.

    Raises NYL-TARGET-UNKNOWN, and all problems of groups or of inputs together, as rendering the target does.
    """
    request = TreeRequest(target, RenderOptions(offline=offline))
    with target_trees(workspace, request) as trees:
        found = plan_target(trees.session, trees.target).inputs(lambda: trees.publication.folder, UNKNOWN)
    for warning in found.warnings:
        workspace.listener(warning)
    return [
        ListedInput(str(address), name, each.source, each.detail, each.value)
        for address in sorted(found.effective)
        for name, each in found.effective[address].items()
    ]
