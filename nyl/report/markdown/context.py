"""Where a report was made, as far as a comment tells of it."""

import re

from nyl.core.dataclass import dataclass

_URL = re.compile(r"https?://[A-Za-z0-9][A-Za-z0-9._~:/?#\[\]@!$&'*+,;=%-]*")


@dataclass(frozen=True)
class MarkdownContext:
    """What the runner knows of a change, '' where it does not."""

    head: str = ""
    """The commit that the pull request asks to merge."""
    base: str = ""
    """The commit that it is to be merged into."""
    full_report: str = ""
    """A URL where everything is that a shortened text leaves out."""


def linked(markdown: str, url: str) -> str:
    """Markdown as a link; as it is where the URL is none of the web."""
    return f"[{markdown}](<{url}>)" if _URL.fullmatch(url) else markdown
