"""What all workloads of nyl are: a checkout, and a bare remote beside it."""

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Checkout:
    """A project in `folder/work`, and how nyl is called there."""

    folder: Path
    executable: Path
    environ: dict[str, str]

    @property
    def work(self) -> Path:
        """The checkout."""
        return self.folder / "work"

    def git(self, *arguments: str) -> None:
        """Runs git in the checkout."""
        subprocess.run(["git", *arguments], cwd=self.work, env=self.environ, check=True)

    def declare(self) -> None:
        """Makes the repositories, and commits the files that were written."""
        self.git("init", "-q", "--bare", "-b", "main", "../remote.git")
        self.git("init", "-q", "-b", "main")
        self.git("remote", "add", "origin", "../remote.git")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "Declare")
