"""Whether a tag may be set to the image that was built."""

from collections.abc import Collection
from enum import StrEnum


class TagAction(StrEnum):
    """What becomes of a tag."""

    SET = "set"
    KEEP = "keep"
    REFUSE = "refuse"


def key_tag(execution_key: str) -> str:
    """The tag that says what an image was built from: nyl- and 16 hex digits of the execution key."""
    return f"nyl-{execution_key.removeprefix('sha256:')[:16]}"


def tag_action(digest: str, named: str | None, own: Collection[str], *, move: bool) -> TagAction:
    """What becomes of a tag that names the digest `named`, or nothing, when `digest` was built.

    `own` are the digests that are known to be the unit's. Dependents read digests, so that nothing depends on a tag
    that stays where somebody else put it.
    """
    if named == digest:
        return TagAction.KEEP
    return TagAction.SET if named is None or named in own or move else TagAction.REFUSE
