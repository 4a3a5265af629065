"""`nyl state`: recorded state itself."""

from nyl.cli.lazy import Entry, LazyGroup

command = LazyGroup(
    "state",
    {
        "init": Entry("nyl.cli.state.init", "Create the state of an environment."),
        "show": Entry("nyl.cli.state.show", "Print the documents of a state as they are stored."),
        "check": Entry("nyl.cli.state.check", "Read everything of a state and verify it."),
        "publish": Entry("nyl.cli.state.publish", "Push what was done locally to the state's remote."),
        "reset": Entry("nyl.cli.state.reset", "Drop what was done locally and not published."),
    },
    help="Initialise, show and check recorded state.",
)
