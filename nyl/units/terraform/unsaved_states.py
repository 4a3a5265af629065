"""The state that a tool could not write to its backend, and left in the folder where it ran, which is thrown away."""

import os
import shlex
import shutil
from pathlib import Path

from nyl.units.terraform.halts import Halt
from nyl.units.terraform.workdir import Workdir

_LEFT = "errored.tfstate"
"""Where the tool leaves such a state."""


def save_state(workdir: Workdir, *, interrupted: bool) -> None:
    """Writes a state that an apply left to the backend after all, unless the apply was interrupted.

    Raises Halt where that fails too: the state is in nyl's cache then, and no run applies anything before somebody
    decided, since another apply would not know of what is in that state.
    """
    left = workdir.folder / _LEFT
    if not left.is_file():
        return
    if not interrupted and workdir.run("state", "push", "-no-color", str(left)).exit_code == 0:
        left.unlink()
        return
    unit, program = workdir.unit, workdir.binary.program
    options = f"-e {unit.environment} --unit {unit.name}"
    why = f"{program} apply could not write the state to its backend"
    try:
        kept = _kept(workdir, left)
    except OSError as error:
        told = f"{why}, and it could not be kept either: {error}; import what the apply made with `nyl exec {options}`"
        raise Halt(told, retryable=False, interrupted=interrupted) from error
    push = f"nyl exec {options} -- state push {shlex.quote(str(kept))}"
    told = f"hold the unit and run `{push}` before anything else is applied"
    raise Halt(f"{why}; it is kept in {kept}: {told}", retryable=False, interrupted=interrupted)


def _kept(workdir: Workdir, left: Path) -> Path:
    folder = workdir.context.cache / "terraform" / "unsaved"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    unit = workdir.unit
    kept = folder / f"{unit.environment}-{unit.name}-{workdir.context.temporary.name}.tfstate"
    kept.touch(mode=0o600, exist_ok=False)
    with kept.open("wb") as file, left.open("rb") as state:
        shutil.copyfileobj(state, file)
        file.flush()
        os.fsync(file.fileno())
    return kept
