"""What became of a comment, in words and for the report."""

from typing import TYPE_CHECKING

from nyl.core.dataclass import dataclass

if TYPE_CHECKING:
    from nyl.github.comment_targets import CommentTarget
    from nyl.github.comments import Upserted


@dataclass(frozen=True)
class CommentResult:
    """A comment that was to be written on `target`: what was done about it, or why it was `skipped`."""

    key: str
    target: "CommentTarget | None" = None
    upserted: "Upserted | None" = None
    skipped: str = ""
    dry_run: bool = False

    @property
    def details(self) -> dict[str, object]:
        """The same for a report, by name."""
        from nyl.github.comments import CommentOutcome

        return {
            "key": self.key,
            "outcome": (self.upserted.outcome if self.upserted else CommentOutcome.SKIPPED).value,
            "dryRun": self.dry_run,
            **({"repository": self.target.repository, "request": self.target.number} if self.target else {}),
            **({"url": self.upserted.url} if self.upserted and self.upserted.url else {}),
            **({"reason": self.skipped} if self.skipped else {}),
        }

    @property
    def text(self) -> str:
        """One sentence, as a line."""
        from nyl.report.plaintext import one_line

        return one_line(self._sentence()) + "\n"

    def _sentence(self) -> str:
        if self.upserted is None or self.target is None:
            return f"No comment was written: {self.skipped}."
        where = f"The comment {self.key} on {self.target.repository}#{self.target.number}"
        said = _SENTENCES[self.upserted.outcome.value].format(where, "would be" if self.dry_run else "was")
        return f"{said}: {self.upserted.url}" if self.upserted.url else f"{said}."


_SENTENCES = {
    "created": "{0} {1} created",
    "updated": "{0} {1} updated",
    "unchanged": "{0} says so already",
    "stale": "{0} {1} left alone, because the pull request has a newer head",
}
