"""The job summary: Markdown in the file that GITHUB_STEP_SUMMARY names."""

from pathlib import Path

SUMMARY_LIMIT = 1024 * 1024
"""Bytes of all that a step writes; of more, GitHub shows nothing."""


def add_to_summary(path: Path, markdown: str) -> None:
    """Adds Markdown to a step's summary; a sentence instead where it does not fit beside what is there.

    Raises OSError.
    """
    room = SUMMARY_LIMIT - (path.stat().st_size if path.exists() else 0)
    added = summary_text(markdown, room)
    with path.open("ab") as file:
        file.write(added)


def summary_text(markdown: str, room: int) -> bytes:
    """What to add to a summary that takes less than `room` bytes more, ended by an empty line; whole or not at all."""
    text = f"{markdown.rstrip()}\n\n".encode(errors="replace")
    if len(text) < room:
        return text
    notice = f"The report of {len(text)} bytes does not fit into the summary of this step; the log shows it.\n\n"
    return notice.encode() if len(notice) < room else b""
