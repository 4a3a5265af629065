"""`nyl init`: writes a project that works at once."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nyl.cli.options import output_option

if TYPE_CHECKING:
    from nyl.cli.surroundings import Surroundings
    from nyl.core.exits import Exit
    from nyl.project.scaffold.initialize import Initialized


@click.command("init")
@click.argument("folder", metavar="[DIR]", required=False, default=".", type=click.Path(path_type=Path))
@click.option("--hooks", is_flag=True, help="Let Git check what is pushed, as `nyl hooks install` does.")
@output_option
def command(folder: Path, hooks: bool, output: str) -> "Exit":
    """Write a project into DIR, by default the working directory: nyl.toml, an environment and two units.

    Overwrites nothing.
    """
    from nyl.cli.output import Form, emit
    from nyl.cli.surroundings import surroundings
    from nyl.core.diagnostics import NylError
    from nyl.engine.results import Report, ReportKind
    from nyl.project.scaffold.initialize import initialize
    from nyl.report.listings import plain_data

    around = surroundings()
    made = initialize(around.cwd / folder, around.environ)
    details = {
        "folder": str(made.folder),
        "written": plain_data(made.written),
        "repositoryCreated": made.repository_created,
    }
    report = Report(ReportKind.OPERATION, operation="init", details=details)
    if hooks:
        try:
            report = replace(report, details={**details, "prePush": str(_install_hook(around, made.folder))})
        except NylError as error:  # the project is there all the same
            report = replace(report, diagnostics=error.diagnostics)
    return emit(report, Form(output), as_text=lambda _report: _next_steps(folder, made))


def _install_hook(around: "Surroundings", folder: Path) -> Path:
    from nyl.git.client_hooks.installation import install
    from nyl.git.repository import Repository

    return install(Repository.discover(folder, around.environ, around.clock), shared=False).hook


def _next_steps(folder: Path, made: "Initialized") -> str:
    from nyl.report.plaintext import one_line

    wrote = [f"  {name}" for name in made.written]
    created = ["Made a Git repository for it."] if made.repository_created else []
    steps = [
        *([] if folder == Path() else [f"  cd {_quoted(folder)}"]),
        "  git add . && git commit -m 'Start a project'",
        "  nyl state init -e dev",
        "  nyl plan -e dev",
        "  nyl reconcile -e dev",
    ]
    said = [f"Wrote a project to {made.folder}:", *wrote, *created, "", "Next:", *steps]
    return "".join(f"{one_line(line)}\n" for line in said)


def _quoted(folder: Path) -> str:
    import shlex

    return shlex.quote(str(folder))
