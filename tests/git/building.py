"""Real repositories for the tests of nyl.git: a bare remote, and clones that nyl's own code works in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nyl.core.clock import Instant, SystemClock
from nyl.git.commits import CommitSpec, CommitWriter
from nyl.git.config import Identity
from nyl.git.process import GitCalls
from nyl.git.remotes import Remote
from nyl.git.repository import Repository
from nyl.git.updates import RefUpdate
from tests.support.environment import clean_environment
from tests.support.processes import run_git
from tests.support.repositories import new_pair

ME = Identity("Alice Example", "alice@example.com")
LEASE = "refs/nyl/dev/lease"
STATE = "refs/heads/nyl/dev/desired"


@dataclass
class PatientClock:
    """The real clock, but for sleeping, which takes no time and is noted."""

    slept: list[float] = field(default_factory=list)

    def now(self) -> Instant:
        return SystemClock().now()

    def monotonic(self) -> float:
        return SystemClock().monotonic()

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


class Scene:
    """A folder with `origin.git`, a clone `work` with one commit on main, and how nyl sees the clone."""

    def __init__(self, folder: Path, object_format: str = "sha1") -> None:
        self.folder = folder
        self.environ = clean_environment(folder / "home")
        self.clock = PatientClock()
        self.notices: list[str] = []
        self.calls = GitCalls()
        self.origin, self.work = new_pair(folder, object_format=object_format)
        self.first = self.git("rev-parse", "HEAD")

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        """What real git prints, run beside nyl."""
        return run_git(*arguments, cwd=cwd or self.work, environ=self.environ)

    def write(self, path: str, content: str | bytes, mode: int = 0o644) -> Path:
        """Writes a file of the clone."""
        target = self.work / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        target.chmod(mode)
        return target

    def commit(self, message: str = "Change") -> str:
        """Commits everything in the clone; the commit's id."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD").strip()

    def open(self, start: Path | None = None, extra: Mapping[str, str] | None = None) -> Repository:
        """The clone, or another repository, as nyl opens it."""
        environ = {**self.environ, **(extra or {})}
        return Repository.discover(start or self.work, environ, self.clock, self.notices.append, self.calls)

    def clone(self, name: str, *options: str) -> Path:
        """Another clone of the remote, by file:// so that depth is honoured."""
        self.git("clone", "-q", *options, f"file://{self.origin}", str(self.folder / name), cwd=self.folder)
        return self.folder / name

    def partial_clone(self, name: str = "partial") -> Path:
        """A clone that has the commits and folders of the remote's main, and none of the files."""
        self.git("push", "-q", "origin", "HEAD:main")
        for setting in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
            self.git("config", setting, "true", cwd=self.origin)
        return self.clone(name, "--no-checkout", "--filter=blob:none")

    def remote_refs(self) -> dict[str, str]:
        """All refs of the remote."""
        lines = self.git("for-each-ref", "--format=%(refname) %(objectname)", cwd=self.origin).splitlines()
        return {line.split()[0]: line.split()[1] for line in lines}


def write_commit(repository: Repository, message: str = "state", **changes: str) -> str:
    """A commit without parents that holds some files."""
    files = {name: text.encode() for name, text in changes.items()}
    return CommitWriter(repository).write([CommitSpec(message.encode(), ME, 1, changes=files)])[0]


def push_lease(remote: Remote, commit: str, expected: str | None = None) -> bool:
    """Whether the remote accepted a lease."""
    return remote.push([RefUpdate(LEASE, commit, expected)]).accepted
