"""The Kubernetes examples, rendered as their users do, and the golden trees of them.

`python -m tests.support.kubernetes_examples` writes the golden trees again.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.kubernetes_tools import helm, kubectl, tool_path
from tests.support.repositories import new_bare_repository, new_repository
from tests.support.world import World

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests/kubernetes/golden"
TREES = (
    ("kubernetes-plain", "production"),
    ("kubernetes-helm", "production"),
    ("kubernetes-targets", "staging"),
    ("kubernetes-targets", "production"),
)
"""Each example with each of its targets."""

OLD_IMAGE = "registry.example.com/web@sha256:" + "a" * 64
NEW_IMAGE = "registry.example.com/web@sha256:" + "b" * 64
STATE = {"staging/state/images.json": f'{{"web": "{OLD_IMAGE}"}}\n', "staging/state/banner.yaml": "text: Preview\n"}
"""What the branch `staging` of the deploy repository holds before anything is published."""
_URLS = "https://git.example.com/"


class ExampleWorld(World):
    """An example in a repository of its own, beside the deploy repository that it names."""

    def __init__(self, tmp: Path, example: str, configuration: str = "") -> None:
        super().__init__(tmp)
        self.out = tmp / "out"
        shutil.copytree(ROOT / "examples" / example, self.root, dirs_exist_ok=True)
        self.environ["PATH"] = f"{self.environ['PATH'].split(':')[0]}:{tool_path(helm(), kubectl())}"
        self.deploy = new_bare_repository(tmp / "git/shop/deploy.git")
        with Path(self.environ["GIT_CONFIG_GLOBAL"]).open("a") as file:
            file.write(f'[url "file://{tmp / "git"}/"]\n\tinsteadOf = {_URLS}\n{configuration}')
        if example == "kubernetes-targets":
            self.lock = self._first_state()

    def carry(self) -> "ExampleWorld":
        """Writes what a build leaves behind, for staging to publish."""
        self.write("build/images.json", f'{{"web": "{NEW_IMAGE}"}}\n')
        return self

    def tree(self, target: str) -> dict[str, str]:
        """The files of the tree of a target, by their paths below its prefix."""
        self.nyl("render-tree", "--target", target, "--output-dir", self.out)
        return files_below(self.out / target)

    def _first_state(self) -> str:
        """The commit on `staging` that production is locked to: the same everywhere."""
        place = new_repository(self.tmp / "state")
        for path, text in STATE.items():
            file = place / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        dated = self.environ | {"GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000"}
        known, self.environ = self.environ, dated
        self.git("add", "-A", cwd=place)
        self.git("-c", "user.name=Build", "-c", "user.email=build@example.com", "commit", "-qm", "Images", cwd=place)
        self.environ = known
        self.git("push", "-q", str(self.deploy), "HEAD:refs/heads/staging", cwd=place)
        return self.git("rev-parse", "HEAD", cwd=place)


def files_below(folder: Path) -> dict[str, str]:
    """The texts of all files below a folder, without what nyl keeps for itself there."""
    return dict(sorted(_files(folder)))


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    for path in folder.rglob("*"):
        if path.is_file() and ".nyl" not in path.relative_to(folder).parts:
            yield path.relative_to(folder).as_posix(), path.read_bytes().decode()


def golden(example: str, target: str) -> Path:
    """The folder of a golden tree."""
    return GOLDEN / example / target


def write_golden_trees() -> None:
    """Writes what the examples render to now."""
    for example, target in TREES:
        with TemporaryDirectory() as scratch:
            folder = golden(example, target)
            shutil.rmtree(folder, ignore_errors=True)
            ExampleWorld(Path(scratch), example).carry().tree(target)
            shutil.copytree(Path(scratch) / "out" / target, folder)


if __name__ == "__main__":
    write_golden_trees()
