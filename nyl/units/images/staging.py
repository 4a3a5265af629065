"""The folders that an image is built from: exactly the files that enter its key, with modes that do not depend on who
checked them out."""

import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from nyl.core.dataclass import dataclass
from nyl.units.execution_context import ExecutionContext
from nyl.units.ignoring import IgnoreRules, ignore_rules
from nyl.units.images.spec import ImageSpec
from nyl.units.inputs import SourceField


class StagingFailed(Exception):
    """What is to be built is not there. The text is a clause."""


@dataclass(frozen=True)
class Staged:
    """Where a builder finds everything; ignore files have had their effect."""

    context: Path
    contexts: dict[str, Path]
    dockerfile: Path
    """Lies alone, with empty ignore files beside it, so that builders leave out nothing more."""


def stage(spec: ImageSpec, context: ExecutionContext) -> Staged:
    """Lays out what an image is built from, in the unit's private folder. Raises StagingFailed, OSError."""
    folder = context.temporary / "image"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    places = []
    for number, (source, ignore_files) in enumerate(spec.sources()):
        place = _located(source, source.path, context)
        if not place.is_dir():
            raise StagingFailed(f"the folder {source.path} is not there")
        rules = _rules(_located(source, each, context) for each in ignore_files)
        places.append(folder / str(number))
        _lay_out(place, places[-1], rules.ignores)
    dockerfile = _dockerfile(_located(spec.context, spec.context.path, context) / spec.dockerfile, spec, folder)
    return Staged(places[0], dict(zip(spec.contexts, places[1:], strict=True)), dockerfile)


def _located(source: SourceField, path: str, context: ExecutionContext) -> Path:
    """Without `..`, which would need folders that a private checkout may lack."""
    return Path(os.path.normpath(context.located(path, source.pointer)))


def _rules(files: Iterable[Path]) -> IgnoreRules:
    for each in files:
        if each.is_file():
            return ignore_rules(each.read_bytes())
    return IgnoreRules()


def _dockerfile(file: Path, spec: ImageSpec, folder: Path) -> Path:
    if not file.is_file() or file.is_symlink():
        raise StagingFailed(f"the Dockerfile {spec.dockerfile} is no file of the context {spec.context.path}")
    staged = folder / "build" / "Dockerfile"
    staged.parent.mkdir()
    shutil.copyfile(file, staged)
    for suffix in (".containerignore", ".dockerignore"):
        staged.with_name(staged.name + suffix).touch()
    return staged


def _lay_out(source: Path, target: Path, ignores: Callable[[str], bool]) -> None:
    target.mkdir(mode=0o755)
    target.chmod(0o755)
    for folder, folders, files in os.walk(source, onerror=_fail):
        links = [each for each in folders if Path(folder, each).is_symlink()]
        for name in (*files, *links):
            file = Path(folder, name)
            relative = file.relative_to(source)
            if not ignores(relative.as_posix()):
                _place(file, target / relative, target)


def _place(file: Path, target: Path, root: Path) -> None:
    for parent in reversed(target.parents):
        if parent.is_relative_to(root) and not parent.exists():
            parent.mkdir(mode=0o755)
            parent.chmod(0o755)
    if file.is_symlink():
        target.symlink_to(file.readlink())
        return
    shutil.copyfile(file, target)
    target.chmod(0o755 if os.access(file, os.X_OK) else 0o644)


def _fail(error: OSError) -> None:
    raise error
