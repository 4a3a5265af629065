"""The branch that trees are published to: other people's commits on it, and publications by nyl's own code."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from nyl.git.config import Identity
from nyl.git.objects import ObjectReader
from nyl.git.remotes import Remote
from nyl.git.updates import RefStore
from nyl.kubernetes.index import Index, decode
from nyl.kubernetes.publication.branch import BranchPlace, PublishedFolder, read_head
from nyl.kubernetes.publication.landing import Committer
from nyl.kubernetes.publication.publishing import publish, published_update
from nyl.kubernetes.tree import RenderedTree
from tests.git.building import Scene

REF = "refs/heads/deploy"
PUBLISHER = Committer(Identity("Nyl Bot", "bot@example.com"), 1_700_000_000)


@dataclass(frozen=True)
class Entry:
    """A file of the branch as Git has it."""

    mode: str
    oid: str


class DeployBranch:
    """The branch `deploy` of a scene's remote, and a clone that publishes to it."""

    def __init__(self, scene: Scene, prefix: str = "dev") -> None:
        self.scene = scene
        self.prefix = prefix
        self.refs: RefStore = Remote(scene.open(), "origin")

    def read(self) -> PublishedFolder:
        return read_head(BranchPlace(self.refs, REF, self.prefix), ObjectReader(self.refs.repository))

    def publish(self, tree: RenderedTree, *, force: bool = False, on: PublishedFolder | None = None) -> str | None:
        """Publishes a tree; the commit, None where nothing changed."""
        published = on or self.read()
        update = published_update(tree, published)
        update.check(force=force)
        return publish(tree, update, published, PUBLISHER)

    @property
    def head(self) -> str | None:
        return self.scene.remote_refs().get(REF)

    def git(self, *arguments: str) -> str:
        return self.scene.git(*arguments, cwd=self.scene.origin)

    def entries(self) -> dict[str, Entry]:
        """Every file of the branch."""
        lines = self.git("ls-tree", "-r", REF).splitlines()
        return {line.split("\t")[1]: Entry(*line.split("\t")[0].split(" ")[::2]) for line in lines}

    def files(self) -> dict[str, str]:
        """The files of the branch but the indexes, with their content."""
        return {path: self.git("show", f"{REF}:{path}") for path in self.entries() if not path.endswith("index.json")}

    def index(self) -> Index:
        path = f"{self.prefix}/_nyl/index.json" if self.prefix else "_nyl/index.json"
        return decode(f"{self.git('show', f'{REF}:{path}')}\n".encode())

    def commit(self, files: Mapping[str, str | None], name: str = "other", **modes: int) -> str:
        """Somebody else's commit on the branch: files from its root, None for one that goes."""
        place = self.scene.folder / name
        if not place.exists():
            self.scene.git("clone", "-q", str(self.scene.origin), str(place), cwd=self.scene.folder)
        if self.head is None:
            self.scene.git("checkout", "-q", "--orphan", "deploy", cwd=place)
            self.scene.git("rm", "-rfq", "--ignore-unmatch", ".", cwd=place)
        else:
            self.scene.git("fetch", "-q", cwd=place)
            self.scene.git("checkout", "-q", "-f", "-B", "deploy", "origin/deploy", cwd=place)
        for path, text in files.items():
            put(place / path, text)
        for path, mode in modes.items():
            (place / path).chmod(mode)
        self.scene.git("add", "-A", cwd=place)
        self.scene.git("commit", "-q", "-m", "By hand", cwd=place)
        self.scene.git("push", "-q", "origin", "HEAD:deploy", cwd=place)
        return self.scene.git("rev-parse", "HEAD", cwd=place)


def put(file: Path, text: str | None) -> None:
    """Writes a file, or removes it where the text is None."""
    if text is None:
        file.unlink()
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def falls_silent(origin: Path) -> Callable[[], None]:
    """Lets a remote vanish once it took the next push, before it answers; what is given brings it back."""
    away, hook = origin.with_name("away.git"), origin / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\n[ "$1" = committed ] || exit 0\nmv "{origin}" "{away}"\nkill -9 "$PPID"\n')
    hook.chmod(0o755)

    def bring_back() -> None:
        away.rename(origin)
        hook.unlink()

    return bring_back
