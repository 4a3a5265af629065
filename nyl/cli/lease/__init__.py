"""`nyl lease`: who holds an environment."""

from nyl.cli.lazy import Entry, LazyGroup

command = LazyGroup(
    "lease",
    {
        "show": Entry("nyl.cli.lease.show", "Show who holds an environment, and what dead runs left."),
        "break": Entry("nyl.cli.lease.break_", "Declare the holder of a lease gone."),
    },
    help="Show and break the lease of an environment.",
)
