"""`nyl delete`: removes from the project."""

from nyl.cli.lazy import Entry, LazyGroup

command = LazyGroup(
    "delete",
    {
        "environment": Entry("nyl.cli.delete.environment", "Remove an environment."),
        "unit": Entry("nyl.cli.delete.unit", "Remove a unit."),
    },
    help="Remove an environment or a unit from the project.",
)
