"""`nyl init`: writes a project that works at once, and what lets GitHub and Git see to it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nyl.cli.options import output_option

if TYPE_CHECKING:
    from nyl.cli.surroundings import Surroundings
    from nyl.core.exits import Exit
    from nyl.git.repository import Repository
    from nyl.project.scaffold.github_workflows import PlacedWorkflows
    from nyl.project.scaffold.initialize import Initialized


@click.command("init")
@click.argument("folder", metavar="[DIR]", required=False, default=".", type=click.Path(path_type=Path))
@click.option("--github", is_flag=True, help="Add workflows for GitHub Actions to the repository.")
@click.option("--hooks", is_flag=True, help="Let Git check what is pushed, as `nyl hooks install` does.")
@output_option
def command(folder: Path, github: bool, hooks: bool, output: str) -> "Exit":
    """Write a project into DIR, by default the working directory: nyl.toml, an environment and two units.

    Overwrites nothing. With --github or --hooks, a project that is there already stays as it is and gets them.
    """
    from nyl.cli.output import Form, emit
    from nyl.cli.surroundings import surroundings
    from nyl.core.diagnostics import Diagnostic, NylError
    from nyl.engine.results import Report, ReportKind
    from nyl.project.config import FILE_NAME
    from nyl.project.scaffold.initialize import Initialized, initialize

    around = surroundings()
    place = around.cwd / folder
    exists = (github or hooks) and (place / FILE_NAME).is_file()
    made = Initialized(place, (), False) if exists else initialize(place, around.environ)
    placed, hook = None, None
    problems: list[Diagnostic] = []
    try:
        placed = _place_workflows(around, made) if github else None
    except NylError as error:  # the project is there all the same
        problems += error.diagnostics
    try:
        hook = _install_hook(around, made) if hooks else None
    except NylError as error:
        problems += error.diagnostics
    report = Report(
        ReportKind.OPERATION, operation="init", details=_details(made, placed, hook), diagnostics=tuple(problems)
    )
    return emit(report, Form(output), as_text=lambda _report: _text(folder, made, placed, hook))


def _place_workflows(around: "Surroundings", made: "Initialized") -> "PlacedWorkflows":
    from nyl.project.scaffold.github_workflows import place_workflows

    return place_workflows(_repository(around, made), made.folder)


def _install_hook(around: "Surroundings", made: "Initialized") -> Path:
    from nyl.git.client_hooks.installation import install

    return install(_repository(around, made), shared=False).hook


def _repository(around: "Surroundings", made: "Initialized") -> "Repository":
    from nyl.git.repository import Repository

    return Repository.discover(made.folder, around.environ, around.clock)


def _details(made: "Initialized", placed: "PlacedWorkflows | None", hook: Path | None) -> dict[str, object]:
    from nyl.report.listings import plain_data

    return {
        "folder": str(made.folder),
        "written": plain_data(made.written),
        "repositoryCreated": made.repository_created,
        **({"workflows": plain_data(placed)} if placed else {}),
        **({"prePush": str(hook)} if hook else {}),
    }


def _text(folder: Path, made: "Initialized", placed: "PlacedWorkflows | None", hook: Path | None) -> str:
    from nyl.report.plaintext import one_line

    said = [
        *_listed(f"Wrote a project to {made.folder}:", made.written),
        *(["Made a Git repository for it."] if made.repository_created else []),
        *([] if made.written else [f"The project in {made.folder} stays as it is."]),
        *(_listed("Git ignores some of it here, so that only force adds them:", made.ignored)),
        *(_listed("Wrote workflows for GitHub Actions:", placed.written) if placed else []),
        *(_listed("Left these workflows as they are:", placed.left) if placed else []),
        *([f"They act on pull requests and pushes of {placed.branch}."] if placed and placed.written else []),
        *([f"Git checks what is pushed with {hook}."] if hook else []),
        "",
        "Next:",
        *_next_steps(folder, made, placed),
    ]
    return "".join(f"{one_line(line)}\n" for line in said)


def _listed(heading: str, names: tuple[str, ...]) -> list[str]:
    return [heading, *(f"  {name}" for name in names)] if names else []


def _next_steps(folder: Path, made: "Initialized", placed: "PlacedWorkflows | None") -> list[str]:
    workflows = bool(placed and placed.written)
    message = "Start a project" if made.written else "Let GitHub Actions run nyl"
    return [
        *([] if folder == Path() else [f"  cd {_quoted(folder)}"]),
        *([f"  git add --force {' '.join(made.ignored)}"] if made.ignored else []),
        *([f"  git add .{' :/.github' * workflows} && git commit -m '{message}'"] if made.written or workflows else []),
        *(["  nyl state init -e dev", "  nyl plan -e dev", "  nyl reconcile -e dev"] if made.written else []),
        *([] if made.written or workflows else ["  nyl validate"]),
    ]


def _quoted(folder: Path) -> str:
    import shlex

    return shlex.quote(str(folder))
