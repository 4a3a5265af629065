"""Putting nyl's pre-push hook where Git runs it, taking it away again, and telling whether it is there."""

import os
import shlex
import sys
from enum import StrEnum
from pathlib import Path

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.core.files import write_atomically
from nyl.git.client_hooks.place import HOOK, LINE, HookPlace, check_place, hook_place, place_at
from nyl.git.repository import Repository

_TEMPLATE = Path(__file__).with_name(HOOK)
_MARK = b"# nyl pre-push hook"
_CALL = LINE.removesuffix(' "$@"').encode()


class HookState(StrEnum):
    """What becomes of a push."""

    INSTALLED = "installed"
    CALLED = "called"
    """Git runs another hook, which calls nyl or nyl's hook."""
    FOREIGN = "other-hook"
    """Git runs another hook."""
    ABSENT = "absent"


@dataclass(frozen=True)
class HookStatus:
    """The pre-push hook of a repository. `before` is the hook that nyl's runs first, `misplaced` one that Git skips."""

    hook: Path
    state: HookState
    before: Path | None = None
    misplaced: Path | None = None


def install(repository: Repository, *, shared: bool) -> HookStatus:
    """Puts the hook where Git runs it; one that is there already goes on to run, before nyl's.

    Doing it again changes nothing, and so does it where pre-commit, installed later, runs nyl's hook. Raises
    NYL-HOOK-REFUSED where it would not stay there, where other repositories use the folder unless `shared`, and where
    two earlier hooks would have to be kept.
    """
    place = hook_place(repository)
    check_place(place, shared=shared)
    if _is_own(place.legacy):
        return status(repository)
    place.folder.mkdir(parents=True, exist_ok=True)
    if _is_there(place.hook) and not _is_own(place.hook):
        if _is_there(place.before):
            raise NylError(
                Code.HOOK_REFUSED,
                f"The pre-push hook is not installed: {place.hook} would be kept at {place.before}, where an earlier "
                "hook lies.",
                f"join the two in {place.hook}, remove {place.before}, and run `nyl hooks install` again",
            )
        place.hook.rename(place.before)
    text = _text()
    if not _is_there(place.hook) or place.hook.read_bytes() != text:
        write_atomically(place.hook, text)
    place.hook.chmod(0o755)
    return status(repository)


def uninstall(repository: Repository) -> tuple[Path, ...]:
    """Takes the hook away from where Git runs it and from the repository's own folder, and puts back earlier ones.

    Gives the files that are gone or as they were before.
    """
    places = _places(repository)
    found = {hook: each.before for each in places for hook in (each.hook, each.legacy) if _is_own(hook)}
    for hook, before in found.items():
        if _is_there(before):
            before.rename(hook)
        else:
            hook.unlink()
    return tuple(found)


def status(repository: Repository) -> HookStatus:
    """Whether Git runs the hook."""
    here, *others = _places(repository)
    misplaced = next((each.hook for each in others if _is_own(each.hook)), None)
    if _is_own(here.hook) and os.access(here.hook, os.X_OK):
        before = here.before if _is_there(here.before) else None
        return HookStatus(here.hook, HookState.INSTALLED, before, misplaced)
    lines = here.own_lines or here.hook
    if _CALL in _content(lines) or _is_own(here.legacy):
        return HookStatus(lines, HookState.CALLED, None, misplaced)
    state = HookState.FOREIGN if _is_there(here.hook) else HookState.ABSENT
    return HookStatus(here.hook, state, None, misplaced)


def _places(repository: Repository) -> list[HookPlace]:
    """The folder that Git runs hooks from, and the repository's own, which another setting may have hidden."""
    here, own = hook_place(repository), place_at(repository, repository.common_dir / "hooks")
    return [here] if here.folder == own.folder else [here, own]


def _text() -> bytes:
    """The hook with the Python and the package that install it: they are found whatever PATH a push has."""
    text = _TEMPLATE.read_text(encoding="utf-8")
    package = Path(__file__).parents[2]
    for name, value in (("python", sys.executable), ("package", str(package))):
        text = text.replace(f"{name}=''", f"{name}={shlex.quote(value)}", 1)
    return text.encode(errors="surrogateescape")


def _is_own(hook: Path) -> bool:
    return not hook.is_symlink() and _MARK in _content(hook).partition(b"python=")[0]


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _is_there(file: Path) -> bool:
    return file.is_symlink() or file.exists()
