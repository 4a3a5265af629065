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


@cache
def _made(object_format: str, *, bare: bool) -> Path:
    folder = Path(_templates().name) / f"{object_format}-{'bare' if bare else 'work'}"
    options = (f"--object-format={object_format}", *(["--bare"] if bare else []))
    environ = clean_environment(folder.parent / "home")
    run_git("init", "-q", "-b", "main", *options, folder, cwd=folder.parent, environ=environ)
    for sample in folder.rglob("*.sample"):
        sample.unlink()
    return folder


@cache
def _templates() -> "TemporaryDirectory[str]":
    """Where the first ones are, for as long as the test process lives."""
    return TemporaryDirectory(prefix="nyl-repositories-")
