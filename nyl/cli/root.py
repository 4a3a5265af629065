"""The root of the command line: which commands there are."""

import click

from nyl.cli.lazy import Entry, LazyGroup

_ENTRIES = {
    "init": Entry("nyl.cli.init", "Write a project that works at once."),
    "validate": Entry("nyl.cli.validate", "Check the whole project without state."),
    "plan": Entry("nyl.cli.plan", "Show what a reconcile would do, and why."),
    "reconcile": Entry("nyl.cli.reconcile", "Run what is missing or out of date, and record the results."),
    "verify": Entry("nyl.cli.verify", "Ask whether what receipts describe still holds."),
    "teardown": Entry("nyl.cli.teardown", "Tear units down, and hold them if asked to."),
    "status": Entry("nyl.cli.status", "Show where environments and their units stand."),
    "get": Entry("nyl.cli.get", "Print units, outputs, artifacts, runs and the like."),
    "recover": Entry("nyl.cli.recover", "Import what dead runs left, or settle a unit."),
    "history": Entry("nyl.cli.history", "List the transitions of an environment."),
    "hold": Entry("nyl.cli.hold", "Keep runs from changing anything about units."),
    "resume": Entry("nyl.cli.resume", "Let held units go on."),
    "exec": Entry("nyl.cli.exec", "Run the own tool of a held unit."),
    "lease": Entry("nyl.cli.lease", "Show and break the lease of an environment."),
    "state": Entry("nyl.cli.state", "Initialise, change, show and check recorded state."),
    "comment": Entry("nyl.cli.comment", "Keep one comment on a pull request up to date."),
    "schema": Entry("nyl.cli.schema", "Print the JSON Schema of a resource kind."),
    "create": Entry("nyl.cli.create", "Add an environment or a unit to the project."),
    "delete": Entry("nyl.cli.delete", "Remove an environment or a unit from the project."),
    "hooks": Entry("nyl.cli.hooks", "Check projects before they are pushed."),
    "vendor": Entry("nyl.cli.vendor", "Keep files that come from elsewhere in the project."),
    "update": Entry("nyl.cli.update", "Move pinned commits to the heads of their revisions."),
    "render": Entry("nyl.cli.render", "Print the manifests of one Release."),
    "diff": Entry("nyl.cli.diff", "Compare one Release with a cluster."),
    "apply": Entry("nyl.cli.apply", "Apply one Release to a cluster."),
    "render-tree": Entry("nyl.cli.render_tree", "Write the manifests of a target into a folder."),
    "diff-tree": Entry("nyl.cli.diff_tree", "Compare the manifests of a target with what is there."),
    "publish-tree": Entry("nyl.cli.publish_tree", "Commit the manifests of a target to its branch."),
    "action": Entry("nyl.cli.action", "What action.yml calls.", hidden=True),
}


def _print_version(ctx: click.Context, _option: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        from nyl import __version__

        click.echo(f"nyl {__version__}")
        ctx.exit()


_HELP = """Run the steps that bring an environment about, and record in Git what happened.

`nyl init` writes a project to begin with. Exit codes: 0 when everything is current, 1 on an error, 2 when work
remains, 3 when a unit failed, 4 when it is not known what a unit did.
"""

root = LazyGroup("nyl", _ENTRIES, help=_HELP)
root.params.append(
    click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_print_version,
        help="Print the version and exit.",
    )
)
