"""`nyl action run`: one step of the GitHub Action."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import click

from nyl.cli.action.arguments import WRITING, ReportFiles, command_line
from nyl.cli.action.inputs import ActionInputs, action_inputs
from nyl.cli.action.publishing import publish, publish_refusal
from nyl.cli.action.step_result import step_exit
from nyl.cli.surroundings import Surroundings, surroundings
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.exits import Exit


@click.command("run")
def command() -> Exit:
    """Carry out one step of the GitHub Action, as its inputs in NYL_ACTION_* ask for it.

    Runs the command, then writes its report to the job summary, annotations, outputs and the pull request's comment.
    Exits as the command, but 0 where what waits is no failure of the step.
    """
    around = surroundings()
    try:
        inputs = action_inputs(around.environ)
        _enter(inputs, around.environ)
        files = ReportFiles.within(_report_folder(around.environ))
    except NylError as error:
        return publish_refusal(error, around.environ)
    _give_token(inputs)
    ended = _carry_out(command_line(inputs, files, _author(inputs, around)))
    publish(inputs, files, ended, around)
    return step_exit(inputs, ended)


def _carry_out(arguments: tuple[str, ...]) -> Exit:
    from nyl.cli.main import main

    return Exit(main(arguments))


def _enter(inputs: ActionInputs, environ: Mapping[str, str]) -> None:
    """Goes into the folder of the project, which stands below the workspace. Raises NYL-ACTION-INPUT."""
    workspace = Path(environ.get("GITHUB_WORKSPACE") or ".")
    folder = workspace / inputs.working_directory
    if not folder.resolve().is_relative_to(workspace.resolve()):
        raise NylError(
            Code.ACTION_INPUT,
            f"The input working-directory {inputs.working_directory!r} leads out of the workspace {workspace}.",
            "name a folder below the workspace, such as `working-directory: infra`; check other repositories out there",
        )
    try:
        os.chdir(folder)
    except OSError as error:
        raise NylError(
            Code.ACTION_INPUT,
            f"The input working-directory is {inputs.working_directory!r}, and {folder} cannot be entered: "
            f"{error.strerror}.",
            "name a folder of the workspace; a step before this one has to check the repository out",
        ) from error


def _report_folder(environ: Mapping[str, str]) -> Path:
    """A folder of this step's own, which lives until the job ends. Raises NYL-REPORT-UNWRITABLE."""
    place = environ.get("RUNNER_TEMP") or None
    try:
        return Path(tempfile.mkdtemp(prefix="nyl-report-", dir=place))
    except OSError as error:
        raise NylError(
            Code.REPORT_UNWRITABLE,
            f"No folder for the report can be made in {place or tempfile.gettempdir()}: {error.strerror}.",
            "let RUNNER_TEMP name a folder that this step may write to; a container has to mount it",
        ) from error


def _give_token(inputs: ActionInputs) -> None:
    """Lets nyl ask GitHub with the Action's token, unless the job gave it one of its own."""
    variables = os.environ  # noqa: TID251 -- what follows reads the environment again
    if inputs.token and not (variables.get("GITHUB_TOKEN") or variables.get("GH_TOKEN")):
        variables["GITHUB_TOKEN"] = inputs.token


def _author(inputs: ActionInputs, around: Surroundings) -> str | None:
    """Who started the run, for the commits of a runner whose Git knows nobody."""
    actor, number = around.environ.get("GITHUB_ACTOR"), around.environ.get("GITHUB_ACTOR_ID")
    if inputs.operation not in WRITING or not actor or not number or _git_knows_an_author(around):
        return None
    host = (around.environ.get("GITHUB_SERVER_URL") or "https://github.com").partition("://")[2].rstrip("/")
    return f"{actor} <{number}+{actor}@users.noreply.{host}>"


def _git_knows_an_author(around: Surroundings) -> bool:
    from nyl.git.repository import Repository

    try:
        return Repository.discover(Path.cwd(), around.environ, around.clock).identity() is not None
    except NylError:
        return True  # the command itself will tell what is wrong with the repository
