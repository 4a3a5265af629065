"""`nyl comment`: comments on pull requests."""

from nyl.cli.lazy import Entry, LazyGroup

command = LazyGroup(
    "comment",
    {"upsert": Entry("nyl.cli.comment.upsert", "Write the one comment of a key.")},
    help="Keep one comment on a pull request up to date.",
)
