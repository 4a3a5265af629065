"""The effective inputs of a target's Releases, each with its source: `nyl get inputs`."""

from dataclasses import dataclass
from typing import Any

from nyl.engine.publications import open_publication
from nyl.engine.rendering import open_carry_files, worktree_session
from nyl.engine.workspace import Workspace
from nyl.kubernetes.inputs.reading import InputSource
from nyl.kubernetes.session import RenderOptions
from nyl.kubernetes.target_plan import plan_target
from nyl.kubernetes.targets import select_target


@dataclass(frozen=True)
class ListedInput:
    """An input that a Release has on a target. `detail` is the file that it comes from, with the pointer into it."""

    release: str
    input: str
    source: InputSource
    detail: str
    value: Any


def list_inputs(workspace: Workspace, target: str | None, *, offline: bool = False) -> list[ListedInput]:
    """The inputs of every Release that a target renders from the working tree, by Release and in declared order.

    Raises NYL-TARGET-UNKNOWN, and all problems of groups or of inputs together, as rendering the target does.
    """
    session = worktree_session(workspace, RenderOptions(offline=offline), open_carry_files(workspace))
    chosen = select_target(session.declarations, target).target
    publication = chosen.publication
    found = plan_target(session, chosen).inputs(lambda: open_publication(workspace, publication, offline=offline))
    for warning in found.warnings:
        workspace.listener(warning)
    return [
        ListedInput(str(address), name, each.source, each.detail, each.value)
        for address in sorted(found.effective)
        for name, each in found.effective[address].items()
    ]
