"""The state that a tool could not write to its backend, and left in the folder where it ran, which is thrown away."""

import shlex
from pathlib import Path

from nyl.units.keeping import keep
from nyl.units.terraform.halts import Halt
from nyl.units.terraform.workdir import Workdir

_LEFT = "errored.tfstate"
"""Where the tool leaves such a state."""


def save_state(workdir: Workdir, *, interrupted: bool) -> None:
    """Writes a state that an apply left to the backend after all, unless the apply was interrupted.

    Raises Halt where that fails too, with the state in nyl's cache: no run applies anything then before somebody
    decided, since another apply would not know of what is in that state. An interrupted apply leaves the unit uncertain
    all the same, so that its message says to hold it.
    """
    ((left, kept),) = kept_states(workdir).items()
    if not left.is_file():
        return
    if not interrupted and _is_pushed(workdir, left):
        left.unlink()
        return
    unit, program = workdir.unit, workdir.binary.program
    options = f"-e {unit.environment} --unit {unit.name}"
    why = f"{program} apply could not write the state to its backend"
    try:
        keep(left, kept)
    except OSError as error:
        told = f"{why}, and it could not be kept either: {error}; import what the apply made with `nyl exec {options}`"
        raise Halt(told, retryable=False, interrupted=interrupted) from error
    push = f"nyl exec {options} -- state push {shlex.quote(str(kept))}"
    told = f"hold the unit and run `{push}` before anything else is applied"
    raise Halt(f"{why}; it is kept in {kept}: {told}", retryable=False, interrupted=interrupted)


def _is_pushed(workdir: Workdir, left: Path) -> bool:
    try:
        return workdir.run("state", "push", "-no-color", str(left)).exit_code == 0
    except Halt:  # such as a run that is cancelled meanwhile
        return False


def kept_states(workdir: Workdir) -> dict[Path, Path]:
    """Where a state that the tool leaves beside the module is kept."""
    unit = workdir.unit
    name = f"{unit.environment}-{unit.name}-{workdir.context.temporary.name}.tfstate"
    return {workdir.folder / _LEFT: workdir.context.cache / "terraform" / "unsaved" / name}
