"""Putting nyl's workflows for GitHub Actions into a repository."""

import json
import os
from pathlib import Path

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError
from nyl.git.default_branch import known_default_branch
from nyl.git.repository import Repository
from nyl.project.unlinked import check_unlinked

_SHIPPED = Path(__file__).parent / "workflows"
_FOLDER = Path(".github", "workflows")
_BRANCHES = "branches: [main]"
_PROJECT = "PROJECT: ."


@dataclass(frozen=True)
class PlacedWorkflows:
    """The workflows of a repository, by their paths from its root."""

    branch: str
    """The branch whose pull requests and pushes they act on."""
    written: tuple[str, ...]
    left: tuple[str, ...]
    """Files that were there already and stay as they are."""


def place_workflows(repository: Repository, project: Path) -> PlacedWorkflows:
    """Writes the workflows to where GitHub looks for them, for the default branch and the folder of a project.

    Overwrites nothing. Raises NYL-FILE-EXISTS where something else is in the place of the folder, NYL-PATH-REFUSED
    where they would be written through a symlink, and NYL-PROJECT-MISSING in a repository without a working tree.
    Follows the section Workflows of the GitHub guide.
    """
    if repository.root is None:
        raise NylError(
            Code.PROJECT_MISSING,
            f"{repository.git_dir} has no working tree, so there is no place for workflows.",
            "run `nyl init --github` in a clone of it",
        )
    branch = known_default_branch(repository)
    check_unlinked(repository.root, _FOLDER, "put a folder in the place of the link, then run `nyl init` again")
    folder = _made(repository.root / _FOLDER)
    inner = project.resolve().relative_to(repository.root.resolve()).as_posix()
    shipped = sorted(_SHIPPED.glob("*.yml"))
    left = {path.name for path in shipped if os.path.lexists(folder / path.name)}
    for path in shipped:
        if path.name not in left:
            with (folder / path.name).open("x", encoding="utf-8", newline="\n") as file:
                file.write(_adapted(path.read_text(encoding="utf-8"), branch, inner))
    names = [(path.name, (_FOLDER / path.name).as_posix()) for path in shipped]
    return PlacedWorkflows(
        branch,
        tuple(path for name, path in names if name not in left),
        tuple(path for name, path in names if name in left),
    )


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise NylError(
            Code.FILE_EXISTS,
            f"{folder} cannot be made, as a file is in its way.",
            "move the file away, then run `nyl init --github` again",
            location=Location(str(folder)),
        ) from error
    return folder


def _adapted(text: str, branch: str, project: str) -> str:
    if branch != "main":
        text = text.replace(_BRANCHES, f"branches: [{json.dumps(branch)}]")
    if project != ".":
        text = text.replace(_PROJECT, f"PROJECT: {json.dumps(project)}")
    return text
