"""`nyl update`: moves what is pinned."""

from nyl.cli.lazy import Entry, LazyGroup

command = LazyGroup(
    "update",
    {"source-locks": Entry("nyl.cli.update.source_locks", "Move pinned commits to the heads of their revisions.")},
    help="Move what is pinned.",
)
