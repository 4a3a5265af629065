"""Planning and applying: only what is in a plan file is ever applied."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.core.tool_result import ToolResult
from nyl.units.outcomes import FailureCategory
from nyl.units.terraform.apply_messages import ApplyMessages
from nyl.units.terraform.binary import check_version
from nyl.units.terraform.changes import JSON_HOOKS, PlanUnreadable, ShownPlan, read_plan
from nyl.units.terraform.declarations import check_declarations
from nyl.units.terraform.ephemeral import may_hold_ephemeral_variables
from nyl.units.terraform.halts import Halt
from nyl.units.terraform.state_locks import refuse_locked
from nyl.units.terraform.unsaved_states import save_state
from nyl.units.terraform.workdir import Workdir

_UNCHANGED, _CHANGED = 0, 2
_MOST_SHOWN = 1024 * 1024
_HEADING = "  # "
"""How the tool begins what it says of one resource."""


@dataclass(frozen=True)
class SavedPlan:
    """A plan in a file."""

    file: Path
    is_empty: bool
    """Whether there is nothing to apply, as the exit code of the tool says."""
    destroy: bool = False


def make_plan(workdir: Workdir, *, destroy: bool = False, lock: bool = True) -> SavedPlan:
    """Plans what the module, or its removal, would change.

    Without a lock nothing is written to where the state is, and a plan of a state that somebody changes meanwhile may
    be wrong. Raises Halt.
    """
    file = workdir.place("plan")
    options = [*(["-destroy"] if destroy else []), *([] if lock else ["-lock=false"]), *workdir.var_options]
    result = workdir.run("plan", "-input=false", "-no-color", "-detailed-exitcode", f"-out={file}", *options)
    if result.exit_code not in (_UNCHANGED, _CHANGED):
        raise _failure(workdir, "plan", result)
    return SavedPlan(file, result.exit_code == _UNCHANGED, destroy)


def show_plan(workdir: Workdir, plan: SavedPlan) -> ShownPlan:
    """What a plan holds. Raises Halt, where what the unit declares does not fit the module too."""
    shown = workdir.read_json("show", "-json", "-no-color", str(plan.file), **JSON_HOOKS)
    try:
        found = read_plan(shown, destroy=plan.destroy)
    except PlanUnreadable as problem:
        raise Halt(f"what {workdir.binary.program} shows of its plan cannot be read: {problem}") from problem
    change = found.change
    if plan.is_empty and (change.applyable or (change.applyable is None and change.steps)):
        raise _rewritten(workdir)
    if plan.destroy:
        check_version(workdir.binary, found.module.version, workdir.unit)
    else:
        check_declarations(found.module, workdir)
    return found


def apply_plan(workdir: Workdir, plan: SavedPlan, version: str) -> Mapping[str, Any]:
    """Applies exactly what a plan by a version of the tool holds, if there is anything. Raises Halt.

    Gives the values of outputs that the tool tells with that; never one of a sensitive output.
    """
    if plan.is_empty:
        return {}
    again = may_hold_ephemeral_variables(workdir.binary.program, version, workdir.module_texts.values())
    options = workdir.var_options if again else ()
    messages = ApplyMessages()
    arguments = ("-json", "-input=false", "-no-color", *options, str(plan.file))
    try:
        result = workdir.run("apply", *arguments, translate=messages.text)
    except Halt:
        save_state(workdir, interrupted=True)
        raise
    if result.exit_code != 0:
        save_state(workdir, interrupted=False)
        raise _failure(workdir, "apply", result)
    return messages.outputs


def plan_text(workdir: Workdir, plan: SavedPlan) -> str:
    """A plan as the tool shows it to people; of a very long one the beginning, and which resources follow."""
    if plan.is_empty:
        return ""
    result = workdir.read("show", "-no-color", str(plan.file))
    if result.exit_code != 0:
        raise workdir.failed("show", result)
    return bounded(workdir.context.readable(result.stdout), _MOST_SHOWN)


def bounded(text: str, most: int) -> str:
    """The beginning of a text, whole lines of it, and of the rest the headings of resources."""
    if len(text) <= most:
        return text
    kept = text[: text.rfind("\n", 0, most) + 1]
    headings = [each for each in text[len(kept) :].splitlines() if each.startswith(_HEADING)]
    return "\n".join([f"{kept}(the plan goes on; it also says:)", *headings, ""])


def _failure(workdir: Workdir, command: str, result: ToolResult) -> Halt:
    refuse_locked(workdir)
    return workdir.failed(command, result)


def _rewritten(workdir: Workdir) -> Halt:
    return Halt(
        f"{workdir.binary.path} changes the exit code of `{workdir.binary.program} plan -detailed-exitcode`; put "
        f"{workdir.binary.program} itself on PATH, or switch its wrapper off",
        FailureCategory.VERSION,
    )
