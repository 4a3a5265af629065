"""Lays out bare repositories of nyl's own without starting Git."""

from pathlib import Path

_CONFIG = """[core]
\trepositoryformatversion = {version}
\tbare = true
"""
_SHA256 = "[extensions]\n\tobjectformat = sha256\n"


def lay_bare(git_dir: Path, object_format: str, alternates: Path | None = None) -> None:
    """Makes `git_dir` an empty bare repository, unless it is one already.

    `alternates` is a folder of objects, of another repository, that it reads from beside its own.
    """
    if (git_dir / "HEAD").exists():
        return
    for folder in ("objects/info", "objects/pack", "refs"):
        (git_dir / folder).mkdir(mode=0o700, parents=True, exist_ok=True)
    is_sha256 = object_format == "sha256"
    (git_dir / "config").write_text(_CONFIG.format(version=int(is_sha256)) + (_SHA256 if is_sha256 else ""))
    if alternates is not None:
        (git_dir / "objects" / "info" / "alternates").write_text(f"{alternates}\n")
    # Last, because its presence says that the rest is there.
    (git_dir / "HEAD").write_text("ref: refs/heads/none\n")
