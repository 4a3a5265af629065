"""Bare repositories that hold what was fetched from, or done for, repositories other than the project's."""

import fcntl
import hashlib
import os
import shutil
from pathlib import Path

from nyl.git.bare import lay_bare
from nyl.git.network import DEFAULT_TIMEOUT, Step, succeeded, take, unavailable
from nyl.git.refs import check_url, is_local, without_credentials
from nyl.git.remotes import Remote
from nyl.git.repository import Repository

_SHA256_DIGITS = 64


def mirror(project: Repository, cache: Path, url: str, timeout: float = DEFAULT_TIMEOUT) -> Remote:
    """A remote whose objects go to a bare repository of its own below `cache`, which is made when it is missing.

    The project's own settings for http, credentials, ssh and URL rewriting hold for it too, so what a CI checkout set
    up works for it. Relative paths are taken from the project's root. Raises NylError: NYL-URL-REFUSED for URLs that
    are refused, NYL-REMOTE-UNAVAILABLE when the remote does not answer on first use.
    """
    location = _absolute(project, check_url(url))
    git_dir = _kept(project, location)
    if not (git_dir / "HEAD").exists():
        git_dir = _cached(cache, location)
    git_dir.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    object_format = _known_format(git_dir)
    if object_format is None:
        with (git_dir.parent / f"{git_dir.name}.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            object_format = _remote_format(project, location, timeout)
            lay_bare(git_dir, object_format)
    return Remote(_opened(project, git_dir, object_format), location, timeout)


def known_mirror(project: Repository, cache: Path, url: str) -> Remote:
    """The same as far as it is here, without asking the remote anything: nothing of it may be known yet.

    Raises NYL-URL-REFUSED.
    """
    location = _absolute(project, check_url(url))
    for git_dir in (_kept(project, location), _cached(cache, location)):
        object_format = _known_format(git_dir)
        if object_format is not None:
            return Remote(_opened(project, git_dir, object_format), location)
    return Remote(project, location)


def kept_mirror(project: Repository, cache: Path, url: str) -> Remote:
    """The same, without asking the remote anything, as a repository beside the project's own objects.

    What is done there is nowhere else, so it does not lie in the cache, which anybody may empty. It begins with what
    the cache has of the remote, and `mirror` gives it from then on. Raises NYL-URL-REFUSED.
    """
    location = _absolute(project, check_url(url))
    git_dir, cached = _kept(project, location), _cached(cache, location)
    git_dir.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (git_dir.parent / f"{git_dir.name}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        object_format = _known_format(git_dir) or _known_format(cached) or project.object_format
        if not (git_dir / "HEAD").exists():
            _lay_copy(project, git_dir, cached, object_format)
    return Remote(_opened(project, git_dir, object_format), location)


def _lay_copy(project: Repository, git_dir: Path, cached: Path, object_format: str) -> None:
    """Makes `git_dir` a copy of a mirror in the cache; an empty repository where there is none."""
    unfinished = git_dir.with_suffix(".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    lay_bare(unfinished, object_format)
    if (cached / "HEAD").exists():
        copied = ["+refs/*:refs/*"]
        _opened(project, unfinished, object_format).checked("fetch", "--quiet", "--no-tags", "--", str(cached), *copied)
    # Only the whole copy gets the name, whose presence says that it counts.
    unfinished.rename(git_dir)


def _opened(project: Repository, git_dir: Path, object_format: str) -> Repository:
    gateway = project.gateway.with_config(project.settings.transport())
    return Repository.open_bare(git_dir, object_format, gateway, project.clock, project.on_wait)


def _kept(project: Repository, location: str) -> Path:
    return project.common_dir / "nyl" / "repositories" / _name(location)


def _cached(cache: Path, location: str) -> Path:
    return cache / "repositories" / _name(location)


def _name(location: str) -> str:
    return hashlib.sha256(location.encode()).hexdigest()[:32]


def _absolute(project: Repository, url: str) -> str:
    if "://" in url or not is_local(url):
        return url
    return os.path.normpath((project.root or project.git_dir) / url)


def _known_format(git_dir: Path) -> str | None:
    if not (git_dir / "HEAD").exists():
        return None
    return "sha256" if "objectformat = sha256" in (git_dir / "config").read_text() else "sha1"


def _remote_format(project: Repository, url: str, timeout: float) -> str:
    shown = without_credentials(url)
    result = take(project.with_gitpython(), Step(["ls-remote", "--", url], f"list the refs of {shown}", timeout)).result
    if not succeeded(result):
        raise unavailable(shown, result)
    return "sha256" if len(result.stdout.partition(b"\t")[0]) == _SHA256_DIGITS else "sha1"
