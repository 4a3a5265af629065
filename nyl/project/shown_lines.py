"""Lines of texts, as messages about templates show them."""

MOST_SHOWN = 160
"""Characters of a text in a message."""


def shown_line(text: str, line: int) -> str:
    """A line of a text, counted from 1, without what surrounds it and cut when it is long; '' where there is none."""
    lines = text.split("\n")
    return lines[line - 1].strip()[:MOST_SHOWN] if 0 < line <= len(lines) else ""
