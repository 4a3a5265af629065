"""`nyl state`: recorded state itself."""

from nyl.cli.lazy import Entry, LazyGroup

command = LazyGroup(
    "state",
    {
        "init": Entry("nyl.cli.state.init", "Create the state of an environment."),
        "forget": Entry("nyl.cli.state.forget", "Drop tombstones and pending teardowns, and keep their resources."),
        "move": Entry("nyl.cli.state.move", "Move a state with its history to its configured place."),
        "delete": Entry("nyl.cli.state.delete", "End a state in which no incarnation is left."),
        "show": Entry("nyl.cli.state.show", "Print the documents of a state as they are stored."),
        "check": Entry("nyl.cli.state.check", "Read everything of a state and verify it."),
        "publish": Entry("nyl.cli.state.publish", "Push what was done locally to the state's remote."),
        "reset": Entry("nyl.cli.state.reset", "Drop what was done locally and not published."),
    },
    help="Initialise, change, show and check recorded state.",
)
