"""Finding the program itself, where a wrapper may stand first on PATH, and asking it for its version."""

import json
import os
from contextlib import suppress
from pathlib import Path

from nyl.core.canonical import digest
from nyl.core.dataclass import dataclass
from nyl.units.driver import ExecutionContext, ResolvedUnit
from nyl.units.outcomes import FailureCategory
from nyl.units.steps import interruption, replace_private_json
from nyl.units.terraform.halts import Halt

COLLECT_RARELY = {"GOGC": "400", "GOMEMLIMIT": "512MiB"}
"""For Go's collector, on which a tool that lives for a moment spends a third of its time.

Beyond the limit it collects as often as that takes: where Go would need more by itself, it needs no more with this.
"""

PRIVATE = {"TF_CLI_ARGS": "", "TF_CLI_ARGS_version": "", "TF_CLI_ARGS_show": "", "TF_CLI_ARGS_output": ""}
"""Arguments that were admitted for what a person reads do not reach what nyl reads."""


@dataclass(frozen=True)
class Binary:
    """A program by its name, and where it is."""

    program: str
    path: Path


def find_binary(program: str, unit: ResolvedUnit, context: ExecutionContext) -> Binary:
    """The program that works on a unit, of the version that the unit wants.

    The first on PATH that is no script: a wrapper may add text to what the tool prints and change its exit codes. A
    script that hands on exactly what the tool prints will do where there is nothing else. Raises Halt.
    """
    path = _locate(program, context.variables.get("PATH", os.defpath))
    binary = Binary(program, path)
    # Any version will do where the unit names none, but a script must show that it hands on what it is told.
    if "version" in unit.spec or is_script(path):
        check_version(binary, _remembered_version(path, program, unit, context), unit)
    return binary


def check_version(binary: Binary, version: str, unit: ResolvedUnit) -> None:
    """Raises Halt when a program has another version than the unit wants.

    It is asked at first, and looked at again in each plan: some programs start another one, as the folder wants it.
    """
    wanted = unit.spec.get("version")
    if wanted is not None and wanted != version:
        why = f"the unit wants {binary.program} {wanted}, and {binary.path} is {version}"
        raise Halt(why, FailureCategory.VERSION, retryable=False)


def _locate(program: str, search: str) -> Path:
    scripts = []
    for folder in search.split(os.pathsep):
        path = Path(folder, program)
        if not path.is_absolute() or not _is_program(path):
            continue
        if not is_script(path):
            return path
        # The wrapper that the setup actions install keeps the program beside it, under this name.
        wrapped = path.with_name(f"{program}-bin")
        if _is_program(wrapped) and not is_script(wrapped):
            return wrapped
        scripts.append(path)
    if not scripts:
        raise Halt(f"{program} could not be started: there is no such program on PATH", FailureCategory.START)
    return scripts[0]


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def is_script(path: Path) -> bool:
    """Whether a program is one that another program reads."""
    try:
        with path.open("rb") as file:
            return file.read(2) == b"#!"
    except OSError:  # one may start a program without reading it
        return False


def _remembered_version(path: Path, program: str, unit: ResolvedUnit, context: ExecutionContext) -> str:
    """Asks each file once. What a script starts may be another program the next time, so that is asked always."""
    if is_script(path):
        return _version(path, program, unit, context)
    facts = path.stat()
    known = digest([str(path.resolve()), facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns])
    name = f"version-{known.rpartition(':')[2]}.json"
    with suppress(OSError, ValueError):
        return _parsed_version((context.cache / name).read_bytes())
    version = _version(path, program, unit, context)
    with suppress(OSError):  # the next unit asks again
        replace_private_json(context.cache / name, {"terraform_version": version}, context.temporary.name)
    return version


def _version(path: Path, program: str, unit: ResolvedUnit, context: ExecutionContext) -> str:
    variables = {**COLLECT_RARELY, **PRIVATE}
    result = context.run([str(path), "version", "-json"], variables=variables, capture_stdout=True)
    why = interruption(program, result, unit.timeout)
    if why is not None:
        category = FailureCategory.START if result.start_error else FailureCategory.EXECUTION
        raise Halt(why, category, interrupted=result.start_error is None)
    try:
        if result.exit_code == 0:
            return _parsed_version(result.stdout)
    except ValueError:
        pass
    if is_script(path):
        raise _unfit(
            f"{path} is a script that does not hand on what {program} prints; put {program} itself on PATH, or switch "
            f"the wrapper off ({program}_wrapper: false for the setup-{_setup(program)} action)"
        )
    raise _unfit(f"{path} does not say which version of {program} it is")


def _setup(program: str) -> str:
    return "opentofu" if program == "tofu" else program


def _parsed_version(data: bytes) -> str:
    """The version in what `version -json` prints. Raises ValueError."""
    told = json.loads(data)
    version = told.get("terraform_version") if isinstance(told, dict) else None
    if not isinstance(version, str):
        raise ValueError("no version")
    return version


def _unfit(why: str) -> Halt:
    return Halt(why, FailureCategory.VERSION)
