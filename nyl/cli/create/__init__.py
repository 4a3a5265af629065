"""`nyl create`: adds to the project."""

from nyl.cli.lazy import Entry, LazyGroup

command = LazyGroup(
    "create",
    {
        "environment": Entry("nyl.cli.create.environment", "Add an environment."),
        "unit": Entry("nyl.cli.create.unit", "Add a unit."),
    },
    help="Add an environment or a unit to the project.",
)
