"""Writing a first project: one environment and two units, of which one reads an output of the other."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError, NylErrors
from nyl.project.unlinked import check_unlinked

_TEMPLATES = Path(__file__).parent / "templates"
_IGNORE = ".gitignore"
_CACHE = ".nyl/"


@dataclass(frozen=True)
class Initialized:
    """What was written, relative to the project's folder. `repository_created` tells of a new Git repository."""

    folder: Path
    written: tuple[str, ...]
    repository_created: bool
    ignored: tuple[str, ...] = ()
    """Those that Git ignores here, by settings of the user or of folders above: only force adds them."""


def initialize(folder: Path, environ: Mapping[str, str]) -> Initialized:
    """Writes a project that works at once, and makes a Git repository of the folder where it lies in none.

    Raises, having written nothing, NYL-FILE-EXISTS when one of its files is there already, and NYL-PATH-REFUSED when
    one would be written through a symlink. An existing .gitignore only
    gets a line for the cache, at its end.
    """
    files = {path.relative_to(_TEMPLATES).as_posix(): path.read_bytes() for path in _template_paths()}
    _refuse_existing(folder, files)
    for name in (*files, _IGNORE):
        check_unlinked(folder, name, "put a file or folder in the place of the link, or choose another: nyl init DIR")
    folder.mkdir(parents=True, exist_ok=True)
    created = _make_repository(folder, environ)
    for name, data in files.items():
        _write_new(folder / name, data)
    ignored = _ignore_cache(folder / _IGNORE)
    written = (*sorted(files), *((_IGNORE,) if ignored else ()))
    return Initialized(folder, written, created, _ignored(folder, written, environ))


def _template_paths() -> list[Path]:
    return sorted(path for path in _TEMPLATES.rglob("*") if path.is_file() and path.suffix in (".yaml", ".toml"))


def _refuse_existing(folder: Path, files: Mapping[str, bytes]) -> None:
    paths = [folder / name for name in sorted(files)]
    folders = dict.fromkeys(parent for path in paths for parent in path.parents)
    taken = [path for path in paths if os.path.lexists(path)]
    blocked = [each for each in folders if os.path.lexists(each) and not each.is_dir()]
    problems = [
        NylError(
            Code.FILE_EXISTS,
            f"{place} is there already, and nyl init overwrites nothing.",
            "choose another folder: nyl init DIR",
            location=Location(str(place)),
        )
        for place in (*blocked, *taken)
    ]
    if problems:
        raise NylErrors(problems)


def _make_repository(folder: Path, environ: Mapping[str, str]) -> bool:
    from nyl.git.process import Gateway

    gateway = Gateway.from_environ(environ)
    if gateway.run(["rev-parse", "--git-dir"], folder).code == 0:
        return False
    result = gateway.run(["init", "--quiet"], folder)
    if result.code != 0:
        fix = "run `git init` by hand to see what is wrong"
        raise NylError(Code.GIT_FAILED, f"git init in {folder} failed: {result.stderr}", fix)
    return True


def _ignored(folder: Path, names: Sequence[str], environ: Mapping[str, str]) -> tuple[str, ...]:
    from nyl.git.process import Gateway

    asked = "\0".join(names).encode()
    answer = Gateway.from_environ(environ).run(["check-ignore", "-z", "--stdin"], folder, asked)
    found = os.fsdecode(answer.stdout).split("\0")
    return tuple(name for name in names if name in found)


def _write_new(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("xb") as file:
            file.write(data)
    except FileExistsError:
        fix = "run `nyl init` again in a folder that nothing else writes to"
        message = f"{path} appeared while nyl init was writing; it was left as it is."
        raise NylError(Code.FILE_EXISTS, message, fix, location=Location(str(path))) from None


def _ignore_cache(path: Path) -> bool:
    """Adds the cache to a .gitignore, keeping whatever is there; False when it is listed already."""
    text = path.read_bytes() if path.exists() else b""
    if _CACHE.encode() in (line.strip().lstrip(b"/") for line in text.splitlines()):
        return False
    separator = b"" if not text or text.endswith(b"\n") else b"\n"
    with path.open("ab") as file:
        file.write(separator + _CACHE.encode() + b"\n")
    return True
