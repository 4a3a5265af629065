"""`nyl hooks`: the pre-push hook, and what it and the hooks for the pre-commit framework call."""

from nyl.cli.lazy import Entry, LazyGroup

command = LazyGroup(
    "hooks",
    {
        "install": Entry("nyl.cli.hooks.install", "Let Git check the projects of what is pushed."),
        "uninstall": Entry("nyl.cli.hooks.uninstall", "Take the hook away, and put back what was there before."),
        "status": Entry("nyl.cli.hooks.status", "Show whether pushes are checked."),
        "pre-push": Entry("nyl.cli.hooks.pre_push", "Check a push that Git tells of.", hidden=True),
        "pre-commit-push": Entry("nyl.cli.hooks.pre_commit_push", "Check what pre-commit tells of.", hidden=True),
        "validate": Entry("nyl.cli.hooks.validate", "Check every project of the working tree.", hidden=True),
    },
    help="Check projects before they are pushed.",
)
