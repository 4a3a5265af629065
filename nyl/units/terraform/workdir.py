"""Where the tool works for one unit: an initialised module with the unit's variables and backend, all private."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.core.tool_result import ToolResult
from nyl.units.driver import ExecutionContext, ResolvedUnit
from nyl.units.outcomes import FailureCategory, NativeCommand
from nyl.units.steps import interruption, write_private_json
from nyl.units.terraform.binary import COLLECT_RARELY, PRIVATE, Binary, find_binary
from nyl.units.terraform.halts import Halt
from nyl.units.terraform.init_lock import alone
from nyl.units.terraform.inputs import SOURCE, globs_of
from nyl.units.terraform.module_files import DeclaredFiles, check_modules, check_source, module_files

_TAKE_VARIABLES = ("plan", "apply", "destroy", "refresh", "import", "console")
"""Commands of the tool that know `-var-file`."""


@dataclass(frozen=True)
class Workdir:
    """An initialised module."""

    unit: ResolvedUnit
    context: ExecutionContext
    binary: Binary
    folder: Path
    """Where the tool runs: the folder of the root module."""
    data: Path
    """Where the tool keeps what it knows of the module: its TF_DATA_DIR."""
    variables: Mapping[str, str]
    """What the tool gets beside the admitted variables."""
    var_files: tuple[Path, ...]
    """The files of variables, the unit's own last, which wins."""

    @cached_property
    def module_texts(self) -> Mapping[str, bytes]:
        """What the files of the root module hold, by their names."""
        return {each.name: each.read_bytes() for each in module_files(self.folder) if each.is_file()}

    @property
    def var_options(self) -> tuple[str, ...]:
        """The options that hand the unit's variables to a command."""
        return tuple(f"-var-file={each}" for each in self.var_files)

    def place(self, name: str) -> Path:
        """A place for a file that goes with the unit's private folder."""
        return self.context.temporary / name

    def init(self) -> ToolResult:
        """Initialises the module with the settings of its backend, and shows what the tool prints. Raises Halt."""
        options = ("-input=false", "-no-color", "-lockfile=readonly", *_backend_options(self))
        return self.run("init", *options)

    def run(self, *arguments: str, translate: Callable[[bytes], str | None] | None = None) -> ToolResult:
        """Runs the tool and shows what it prints, as translated. Raises Halt where its exit code tells nothing."""
        argv = self._argv(arguments)
        result = self.context.run(argv, variables=self.variables, cwd=self.folder, translate=translate)
        return self._ended(result)

    def read(self, *arguments: str, variables: Mapping[str, str] = PRIVATE) -> ToolResult:
        """Runs the tool and keeps what it prints. Raises Halt where its exit code tells nothing."""
        given = {**self.variables, **variables}
        result = self.context.run(self._argv(arguments), variables=given, cwd=self.folder, capture_stdout=True)
        return self._ended(result)

    def read_json(self, *arguments: str, **hooks: Any) -> Any:
        """The JSON that the tool prints, read with some hooks of `json.loads`. Raises Halt."""
        result = self.read(*arguments)
        if result.exit_code != 0:
            raise self.failed(arguments[0], result)
        try:
            return json.loads(result.stdout, **hooks)
        except (ValueError, RecursionError):
            what = f"{self.binary.program} {' '.join(arguments[:2])}"
            raise Halt(f"{what} printed something that is not JSON, or cannot be read as such") from None

    def native(self, arguments: Sequence[str]) -> NativeCommand:
        """The tool as an operator wants it, with the unit's variables for every command that takes some."""
        options = " ".join(map(_quoted, self.var_options))
        given = dict(self.variables)
        for command in _TAKE_VARIABLES if options else ():
            name = f"TF_CLI_ARGS_{command}"
            given[name] = f"{self.context.variables.get(name, '')} {options}".strip()
        return NativeCommand(self._argv(arguments), given, self.folder)

    def failed(self, command: str, result: ToolResult) -> Halt:
        """The end of a command with an exit code that it should not have, with the first thing that the tool said."""
        said = next((each for each in result.last_lines if each.startswith("Error: ")), "")
        told = f"{self.binary.program} {command} ended with exit code {result.exit_code}"
        return Halt(f"{told}: {said.removeprefix('Error: ')}" if said else told)

    def _argv(self, arguments: Sequence[str]) -> list[str]:
        return [str(self.binary.path), *arguments]

    def _ended(self, result: ToolResult) -> ToolResult:
        why = interruption(self.binary.program, result, self.unit.timeout)
        if why is None:
            return result
        if result.start_error is not None and not result.cancelled:
            raise Halt(why, FailureCategory.START)
        raise Halt(why, interrupted=True)


def _quoted(option: str) -> str:
    """An option as the tool reads it from TF_CLI_ARGS."""
    escaped = option.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def prepared(program: str, unit: ResolvedUnit, context: ExecutionContext) -> Workdir:
    """Initialises a unit's module. Nothing of it lies in the checkout. Raises Halt; there is no effect then."""
    try:
        return _prepared(program, unit, context)
    except OSError as error:  # such as a full disk, or a cache that may not be written
        raise Halt(f"its module could not be prepared: {error}", FailureCategory.START) from error


def _prepared(program: str, unit: ResolvedUnit, context: ExecutionContext) -> Workdir:
    folder = Path(os.path.realpath(context.located(unit.spec["source"]["path"], SOURCE)))
    files = _declared(unit, context)
    check_source(folder, files)
    data = Path(os.path.realpath(context.temporary)) / "data"
    plugins = context.cache / "terraform" / "plugins"
    plugins.mkdir(mode=0o700, parents=True, exist_ok=True)
    workdir = Workdir(
        unit,
        context,
        find_binary(program, unit, context),
        folder,
        data,
        _own_variables(context, data, plugins),
        _var_files(unit, context),
    )
    with alone(plugins.parent, context):
        result = workdir.init()
    check_modules(folder, data, files)
    if result.exit_code != 0:
        raise workdir.failed("init", result)
    _check_state_stays(context, data)
    return workdir


def _declared(unit: ResolvedUnit, context: ExecutionContext) -> DeclaredFiles:
    base, root = (Path(os.path.realpath(context.located(path, SOURCE))) for path in (".", "/"))
    return DeclaredFiles(globs_of(unit.spec), base, root)


def _own_variables(context: ExecutionContext, data: Path, plugins: Path) -> dict[str, str]:
    """What nyl itself decides: nobody is asked anything, and nothing but the unit's own folder is written."""
    unless_admitted = {"TF_PLUGIN_CACHE_DIR": str(plugins), **COLLECT_RARELY}
    own = {name: value for name, value in unless_admitted.items() if name not in context.variables}
    return {**own, "TF_DATA_DIR": str(data), "TF_IN_AUTOMATION": "1", "TF_INPUT": "0", "CHECKPOINT_DISABLE": "1"}


def _var_files(unit: ResolvedUnit, context: ExecutionContext) -> tuple[Path, ...]:
    declared = tuple(context.located(each) for each in unit.spec.get("varFiles", ()))
    values = unit.spec.get("variables", {})
    if not values:
        return declared
    own = context.temporary / "unit.tfvars.json"
    write_private_json(own, values)
    return (*declared, own)


def _backend_options(workdir: Workdir) -> tuple[str, ...]:
    settings = workdir.unit.spec.get("backend", {})
    if not settings:
        return ()
    file = workdir.place("backend.json")
    write_private_json(file, settings)
    return (f"-backend-config={file}",)


def _check_state_stays(context: ExecutionContext, data: Path) -> None:
    """Raises Halt where the state would be written into the checkout, which the next unit finds empty again."""
    try:
        backend = json.loads((data / "terraform.tfstate").read_bytes())["backend"]
        kind, config = backend["type"], backend.get("config") or {}
    except FileNotFoundError:
        raise _lost("the module declares no backend") from None
    except (OSError, ValueError, KeyError, TypeError):
        return
    if kind != "local":
        return
    named = context.variables.get("TF_WORKSPACE", "default") not in ("", "default")
    setting = "workspace_dir" if named else "path"
    place = config.get(setting)
    if not (isinstance(place, str) and Path(place).is_absolute()):
        raise _lost(f"the setting {setting} of the backend local is no absolute path")


def _lost(why: str) -> Halt:
    told = "declare a backend in the module that keeps it, and give its settings under spec.backend"
    return Halt(f"{why}, so the state would be lost with the checkout; {told}")
