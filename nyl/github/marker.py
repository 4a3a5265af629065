"""The hidden first line that tells a comment of ours, and the text that is posted under it.

The marker finds a comment and nothing else: no decision is read back from what a comment says, and a comment counts
only when its account is the token's own.
"""

from urllib.parse import quote

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError

BODY_LIMIT = 65_536
"""What GitHub takes: in characters, and to be safe in bytes as well."""

LONGEST_KEY = 200
"""Characters of a key, at most."""


def marker(key: str) -> str:
    """The first line of the comment of a key: no HTML comment can end inside it. Raises NYL-COMMENT-INVALID."""
    if not key.strip() or len(key) > LONGEST_KEY:
        raise NylError(
            Code.COMMENT_INVALID,
            f"A comment needs a key of 1 to {LONGEST_KEY} characters, and this one has {len(key.strip())}.",
            "name what the comment shows, such as --key plan-production",
        )
    return f"<!-- nyl:comment v1 key={quote(key, safe='')} -->"


def marked_body(key: str, text: str) -> str:
    """What is posted: the marker, then the text. Raises NYL-COMMENT-INVALID for an empty or too long one."""
    body = f"{marker(key)}\n{_normal(text)}"
    if not text.strip():
        raise NylError(Code.COMMENT_INVALID, "The comment's body is empty.", "give a body file with text in it")
    size = len(body.encode())
    if size > BODY_LIMIT:
        raise NylError(
            Code.COMMENT_INVALID,
            f"The comment has {size} bytes with its marker, and GitHub takes {BODY_LIMIT}.",
            "shorten the body; what `--report markdown:PATH` writes always fits",
        )
    return body


def has_marker(body: str | None, key: str) -> bool:
    """Whether the first line of a comment is exactly the marker of a key; a quoted one is not."""
    return _normal(body or "").split("\n", 1)[0] == marker(key)


def same_text(stored: str | None, body: str) -> bool:
    """Whether GitHub holds this body already: it stores line ends and trailing blanks in its own way."""
    return _normal(stored or "") == _normal(body)


def _normal(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip()
