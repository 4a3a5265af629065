"""Whether a unit's `files` hold every local module, as the tool's own list of modules tells after an init."""

import json
import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.units.outcomes import FailureCategory
from nyl.units.terraform.halts import Halt
from nyl.units.terraform.inputs import literal_glob

_SUFFIXES = (".tf", ".tf.json", ".tofu", ".tofu.json")
_LOCAL = ("./", "../")


@dataclass(frozen=True)
class DeclaredFiles:
    """What a unit's globs select in the checkout at `root`; they are relative to `base`, which lies in it."""

    globs: tuple[str, ...]
    base: Path
    root: Path

    def select(self, file: Path) -> bool:
        """Whether a file of the checkout is one that the unit declares."""
        found: bool = self._spec.match_file(os.path.relpath(file, self.root))
        return found

    def glob_for(self, place: Path, below: str = "") -> str:
        """The glob of a place in the checkout, as `files` would have it."""
        inside = place.is_relative_to(self.base)
        path = literal_glob(place.relative_to(self.base if inside else self.root).as_posix())
        glob = posixpath.normpath(posixpath.join(path, below)) if below else path
        return glob if inside else f"/{glob}"

    @cached_property
    def _spec(self) -> Any:
        from pathspec import PathSpec

        base = self.base.relative_to(self.root).as_posix()
        return PathSpec.from_lines("gitignore", [_pattern(base, each) for each in self.globs])


def _pattern(base: str, glob: str) -> str:
    joined = posixpath.normpath(glob.lstrip("/") if glob.startswith("/") else posixpath.join(base, glob))
    return "/**" if joined == "." else f"/{joined}"


def check_source(folder: Path, files: DeclaredFiles) -> None:
    """Raises Halt when the folder of the root module holds no file of a module."""
    if any(module_files(folder)):
        return
    if files.select(folder / "main.tf"):
        raise Halt("the folder that source names holds no .tf file", FailureCategory.START)
    raise _lacking("files holds nothing of the module that source names", [files.glob_for(folder, "**")])


def check_modules(folder: Path, data: Path, files: DeclaredFiles) -> None:
    """Raises Halt when a local module, or a file of one, is not among the unit's files.

    `folder` holds the root module, and `data` what the tool wrote down about it.
    """
    lacking: dict[str, list[str]] = {}
    for key, place in _local_modules(folder, data).items():
        globs = _lacking_globs(place, files)
        if globs is None:
            raise Halt(f"module {key} lies outside of the repository", FailureCategory.START)
        if globs:
            lacking[key or "the root module"] = globs
    if lacking:
        wanted = [glob for globs in lacking.values() for glob in globs]
        raise _lacking(f"files does not hold all of module {', '.join(sorted(lacking))}", wanted)


def _lacking_globs(place: Path, files: DeclaredFiles) -> list[str] | None:
    """The globs that `files` lacks for a module; None where no glob can name it."""
    if not place.is_relative_to(files.root):
        return None
    found = list(module_files(place))
    if not found:
        return [files.glob_for(place, "**")]
    globs = []
    for file in found:
        real = Path(os.path.realpath(file))
        if not files.select(file):
            globs.append(files.glob_for(place, "**"))
        elif real != file and not (real.exists() and files.select(real)):
            if not real.is_relative_to(files.root):
                return None
            globs.append(files.glob_for(real))
    return globs


def module_files(folder: Path) -> Iterator[Path]:
    """The files that make up the module in a folder, without the modules that it calls."""
    if folder.is_dir():
        yield from (each for each in folder.iterdir() if each.name.endswith(_SUFFIXES))


def _local_modules(folder: Path, data: Path) -> dict[str, Path]:
    """Where every local module lies, by its key. Those that were downloaded are left out, with all inside them."""
    places = {"": folder}
    for module in sorted(_listed(data), key=lambda each: each["Key"].count(".")):
        key, source = module["Key"], module["Source"]
        parent = places.get(key.rpartition(".")[0])
        if key and parent is not None:
            place = parent / source if source.startswith(_LOCAL) else folder / (module.get("Dir") or data)
            places[key] = Path(os.path.realpath(place))
    return {key: place for key, place in places.items() if not place.is_relative_to(data)}


def _listed(data: Path) -> list[Mapping[str, str]]:
    """The modules as the tool lists them: `Dir` is empty for one that it did not find."""
    try:
        modules = json.loads((data / "modules" / "modules.json").read_bytes())["Modules"]
        return [each for each in modules if isinstance(each["Key"], str) and isinstance(each["Source"], str)]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _lacking(what: str, globs: Iterable[str]) -> Halt:
    told = ", ".join(f"'{each}'" for each in sorted(set(globs)))
    return Halt(f"{what}; add to files: {told}", FailureCategory.START)
