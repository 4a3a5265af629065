"""The default branch of a repository, as far as it is known without asking a remote."""

import os

from nyl.git.repository import Repository

_TRACKED = "refs/remotes/origin/"
_OWN = "refs/heads/"
_USUAL = ("main", "master")


def known_default_branch(repository: Repository) -> str:
    """The short name of the branch that others see as the default one.

    It is the one that cloning noted; else a usual name that is there; else the branch that is checked out, or the most
    usual name.
    """
    return _named(repository, f"{_TRACKED}HEAD", _TRACKED) or _usual(repository) or _checked_out(repository)


def _usual(repository: Repository) -> str | None:
    there = (name for name in _USUAL for place in (_TRACKED, _OWN) if repository.resolve(f"{place}{name}") is not None)
    return next(there, None)


def _checked_out(repository: Repository) -> str:
    return _named(repository, "HEAD", _OWN) or _USUAL[0]


def _named(repository: Repository, symbolic: str, place: str) -> str | None:
    result = repository.git("symbolic-ref", "--quiet", symbolic)
    ref = os.fsdecode(result.stdout).strip()
    return ref.removeprefix(place) if result.code == 0 and ref.startswith(place) else None
