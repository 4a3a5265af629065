"""Pushing to a remote that is a folder: what `git push` does there, in one process where eight would do it."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from tests.support.processes import run_git


def head_of(root: Path, environ: Mapping[str, str]) -> str:
    """The commit that is checked out."""
    head = (root / ".git/HEAD").read_text().strip()
    name = root / ".git" / head.removeprefix("ref: ")
    if head.startswith("ref: ") and name.is_file():
        return name.read_text().strip()
    return run_git("rev-parse", "HEAD", cwd=root, environ=environ)


def push(root: Path, origin: Path, branch: str, environ: Mapping[str, str]) -> None:
    """Pushes what is checked out to a branch of `origin`. Git does it where anybody has a say in it."""
    if not (_is_plain(root, origin) and _carry(root, origin, branch, environ)):
        run_git("push", "-q", "origin", f"HEAD:refs/heads/{branch}", cwd=root, environ=environ)


def _is_plain(root: Path, origin: Path) -> bool:
    """Whether nothing but the remote itself is asked: no hook, no other URL, no setting."""
    if not (origin / "refs").is_dir() or any(origin.glob("hooks/*")) or any(root.glob(".git/hooks/*")):
        return False
    own, theirs = (root / ".git/config").read_text(), (origin / "config").read_text()
    remotes = re.findall(r"^\s*(\w*url) = (.*)$", own, re.MULTILINE)
    own_settings = re.search(r"hookspath|\[(push|includeif|include|url)\b", own, re.IGNORECASE)
    return (
        remotes in ([("url", str(origin))], [("url", "../origin.git")])
        and not own_settings
        and "[receive" not in theirs
    )


def _carry(root: Path, origin: Path, branch: str, environ: Mapping[str, str]) -> bool:
    """Copies what the branch lacks of HEAD, if that is a continuation of it and is there as files."""
    name, commit = f"refs/heads/{branch}", head_of(root, environ)
    if (origin / "packed-refs").exists() or (origin / name).is_dir():
        return False
    old = (origin / name).read_text().strip() if (origin / name).exists() else ""
    if old == commit:
        return True
    limits = [f"^{old}"] if old else []
    lines = run_git(
        "rev-list",
        "--objects",
        "--parents",
        "--no-object-names",
        commit,
        *limits,
        cwd=root,
        environ=environ,
        check=False,
    ).splitlines()
    if not lines or (old and not any(old in line.split()[1:] for line in lines)):
        return False
    paths = [Path("objects", oid[:2], oid[2:]) for oid, *_ in map(str.split, lines)]
    if not all((root / ".git" / path).is_file() for path in paths):
        return False
    for path in paths:
        if not (origin / path).exists():
            (origin / path).parent.mkdir(exist_ok=True)
            shutil.copy2(root / ".git" / path, origin / path)
    _point(origin / name, commit)
    _point(root / ".git/refs/remotes/origin" / branch, commit)
    return True


def _point(ref: Path, commit: str) -> None:
    ref.parent.mkdir(parents=True, exist_ok=True)
    new = ref.with_name(f"{ref.name}.lock")
    new.write_text(f"{commit}\n")
    new.rename(ref)
