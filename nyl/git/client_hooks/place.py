"""The folder that Git runs hooks from, and whether a hook may be put there."""

import os
from pathlib import Path

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.git.process import command_failed
from nyl.git.repository import Repository

HOOK = "pre-push"
LINE = f'nyl hooks {HOOK} "$@"'
"""What calls nyl from a hook of somebody else's."""

_HOOKS_ON = "unset core.hooksPath, or set it to .git/hooks for this repository: git config core.hooksPath .git/hooks"


@dataclass(frozen=True)
class HookPlace:
    """A folder of hooks, and the file for lines of one's own where a hook manager makes the others."""

    folder: Path
    is_shared: bool
    """Whether it lies outside the repository, so that other repositories have the same hooks."""
    own_lines: Path | None = None

    @property
    def hook(self) -> Path:
        """The pre-push hook that Git runs."""
        return self.folder / HOOK

    @property
    def legacy(self) -> Path:
        """Where pre-commit keeps the hook that it found, and runs it first."""
        return self.folder / f"{HOOK}.legacy"

    @property
    def before(self) -> Path:
        """Where the hook lies that was there before nyl's."""
        return self.folder / f"{HOOK}.before-nyl"


def hook_place(repository: Repository) -> HookPlace:
    """Where Git itself says that it runs hooks from, core.hooksPath and linked working trees included.

    Raises NYL-HOOK-REFUSED where core.hooksPath is empty, which Git takes for no folder at all.
    """
    arguments = ("rev-parse", "--path-format=absolute", "--git-path", "hooks")
    cwd = repository.root or repository.git_dir
    git = repository.gateway.with_users_hooks()
    answer = git.run(repository.command(*arguments), cwd)
    if answer.code != 0:
        setting = git.run(repository.command("config", "--get", "core.hooksPath"), cwd)
        if setting.code == 0 and not setting.stdout.strip():
            raise _refused("core.hooksPath switches hooks off: it is empty", _HOOKS_ON)
        raise command_failed(arguments, answer)
    return place_at(repository, Path(os.fsdecode(answer.stdout).rstrip("\n")))


def place_at(repository: Repository, folder: Path) -> HookPlace:
    """A folder of hooks as one of a repository."""
    inside = [each for each in (repository.root, repository.common_dir, repository.git_dir) if each is not None]
    is_shared = not any(folder.resolve().is_relative_to(each.resolve()) for each in inside)
    return HookPlace(folder, is_shared, _husky_lines(folder))


def check_place(place: HookPlace, *, shared: bool) -> None:
    """Raises NYL-HOOK-REFUSED for a folder that a hook could not be put into for good; `shared` accepts shared ones."""
    if place.own_lines is not None:
        raise _refused(
            f"Git runs the hooks that husky makes anew in {place.folder}",
            f"add this line to {place.own_lines}: {LINE}",
        )
    if place.folder.exists() and not place.folder.is_dir():
        raise _refused(
            f"core.hooksPath switches hooks off: {place.folder} is no folder",
            _HOOKS_ON,
        )
    if place.is_shared and not shared:
        raise _refused(
            f"Git runs hooks from {place.folder.resolve()} here, whose hooks run in other repositories too",
            f"add this line to {place.hook}: {LINE} || exit; or let nyl change that folder: nyl hooks install --force",
        )


def _husky_lines(folder: Path) -> Path | None:
    """The file for lines of one's own, where husky made the folder: it writes the hooks anew, and calls that file."""
    if folder.name == "_" and (folder.parent.name == ".husky" or (folder / "husky.sh").exists()):
        return folder.parent / HOOK
    return folder / HOOK if (folder / "_" / "husky.sh").exists() else None


def _refused(what: str, fix: str) -> NylError:
    return NylError(Code.HOOK_REFUSED, f"The pre-push hook is not installed: {what}.", fix)
