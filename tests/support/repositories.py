"""New repositories. Git makes the first of each kind; the others are copies of it, which take no process."""

import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.environment import clean_environment
from tests.support.processes import run_git


def new_repository(folder: Path, *, object_format: str = "sha1", origin: str = "") -> Path:
    """An empty repository with a working tree on `main`, as `git init` makes it, but for the sample hooks.

    `origin` is the URL of its remote of that name, where it has one. The folder may be there already.
    """
    shutil.copytree(_made(object_format, bare=False), folder, dirs_exist_ok=True)
    if origin:
        with (folder / ".git/config").open("a") as configuration:
            configuration.write(f'[remote "origin"]\n\turl = {origin}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n')
    return folder


def new_bare_repository(folder: Path, *, object_format: str = "sha1") -> Path:
    """An empty bare repository whose HEAD is `main`."""
    return Path(shutil.copytree(_made(object_format, bare=True), folder, dirs_exist_ok=True))


def new_pair(folder: Path, *, object_format: str = "sha1") -> tuple[Path, Path]:
    """A bare `origin.git` and its clone `work` with one commit on `main`, a README, which the remote has as well."""
    first = _first_pair(object_format)
    for name in ("origin.git", "work"):
        shutil.copytree(first / name, folder / name)
    configuration = folder / "work/.git/config"
    configuration.write_text(configuration.read_text().replace(str(first), str(folder)))
    return folder / "origin.git", folder / "work"


def kept(name: str) -> Path:
    """A place for something that is kept for as long as the test process lives."""
    return Path(_everything().name) / name


@cache
def _made(object_format: str, *, bare: bool) -> Path:
    folder = kept(f"{object_format}-{'bare' if bare else 'work'}")
    options = (f"--object-format={object_format}", *(["--bare"] if bare else []))
    environ = clean_environment(folder.parent / "home")
    run_git("init", "-q", "-b", "main", *options, folder, cwd=folder.parent, environ=environ)
    for sample in folder.rglob("*.sample"):
        sample.unlink()
    return folder


@cache
def _first_pair(object_format: str) -> Path:
    folder = kept(f"{object_format}-pair")
    origin = new_bare_repository(folder / "origin.git", object_format=object_format)
    work = new_repository(folder / "work", object_format=object_format, origin=str(origin))
    (work / "README.md").write_text("hello\n")
    environ = clean_environment(folder.parent / "home")
    for words in (("add", "-A"), ("commit", "-q", "-m", "Start"), ("push", "-q", "origin", "main")):
        run_git(*words, cwd=work, environ=environ)
    return folder


@cache
def _everything() -> "TemporaryDirectory[str]":
    return TemporaryDirectory(prefix="nyl-repositories-")
