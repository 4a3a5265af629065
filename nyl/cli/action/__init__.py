"""`nyl action`: what action.yml calls."""

from nyl.cli.lazy import Entry, LazyGroup

command = LazyGroup(
    "action",
    {"run": Entry("nyl.cli.action.run", "Carry out one step of the GitHub Action.")},
    help="What action.yml calls. Not for people: the inputs of the Action come in variables, not in options.",
)
