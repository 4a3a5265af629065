"""What a commit object says of itself."""

from nyl.core.dataclass import dataclass


@dataclass(frozen=True)
class CommitFacts:
    """A commit's id, its parents as the object names them, also where a shallow clone hides them, and its message."""

    commit: str
    parents: tuple[str, ...]
    message: str


def parse_commit(commit: str, content: bytes) -> CommitFacts:
    """The facts of a commit from the content of its object."""
    header, _, message = content.partition(b"\n\n")
    fields = [line.split(b" ", 1) for line in header.split(b"\n") if b" " in line]
    parents = tuple(value.decode() for name, value in fields if name == b"parent")
    return CommitFacts(commit, parents, message.decode(errors="replace"))
