"""What Git tells a pre-push hook on its standard input: a line for each ref that a push would change."""

import os
import re

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError

_OID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True)
class PushedRef:
    """A ref of the remote that a push would change."""

    ref: str
    """Its full name there."""
    new: str | None
    """The object that it would lead to; None deletes it."""
    old: str | None
    """The object that it leads to now, which need not be here; None creates it."""


def parse_push(lines: bytes) -> tuple[PushedRef, ...]:
    """The refs of a push from the lines of a pre-push hook; nothing for a push that changes none.

    A line is `<local ref> <local id> <remote ref> <remote id>`, where the first may be an expression with blanks, such
    as `HEAD@{2 days ago}`. Raises NYL-PUSH-INPUT for anything else.
    """
    return tuple(_parse(line) for line in os.fsdecode(lines).split("\n") if line.strip())


def _parse(line: str) -> PushedRef:
    fields = line.rsplit(" ", 3)
    if len(fields) != 4 or not fields[2].startswith("refs/") or not all(map(_OID.fullmatch, fields[1::2])):
        raise NylError(
            Code.PUSH_INPUT,
            f"{line!r} does not say what is pushed, so nothing of this push was checked.",
            'let the hook read what Git writes: `nyl hooks pre-push "$@"`, with Git\'s standard input; '
            "`git push --no-verify` skips the check",
        )
    return PushedRef(fields[2], _object(fields[1]), _object(fields[3]))


def _object(oid: str) -> str | None:
    return oid if oid.strip("0") else None
