"""`nyl comment upsert`: keeps one comment a key and account on a pull request."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nyl.cli.options import output_option, single_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit
    from nyl.github.client import GitHub
    from nyl.github.comment_targets import CommentTarget, Nowhere
    from nyl.github.context import ActionsContext

_STDIN = "-"


@click.command("upsert")
@single_option("--key", required=True, metavar="KEY", help="Which comment, such as plan-production.")
@single_option(
    "--body-file",
    required=True,
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    metavar="PATH|-",
    help="A file with the text, in Markdown; - reads stdin.",
)
@single_option("--repository", metavar="OWNER/NAME", help="The repository of the pull request.  [default: the event's]")
@single_option(
    "--request", type=click.IntRange(min=1), metavar="NUMBER", help="The pull request.  [default: the event's]"
)
@single_option("--server-url", metavar="URL", help="The GitHub server.  [default: the runner's, else github.com]")
@click.option("--dry-run", is_flag=True, help="Say what would be written, and write nothing.")
@output_option
def command(
    key: str,
    body_file: str,
    repository: str | None,
    request: int | None,
    server_url: str | None,
    dry_run: bool,
    output: str,
) -> "Exit":
    """Write the comment of KEY on a pull request, whether it is there already or not.

    The token is GITHUB_TOKEN or GH_TOKEN, and needs `pull-requests: write`. An equal comment is left alone, and so is
    one of a pull request that has a newer head than the run.
    """
    if (repository is None) != (request is None):
        raise click.UsageError("--repository and --request go together: they name one pull request.")
    from nyl.cli.comment.comment_result import CommentResult
    from nyl.cli.output import Form, emit
    from nyl.cli.streams import write_err
    from nyl.cli.surroundings import surroundings
    from nyl.engine.results import Report, ReportKind
    from nyl.github.client import Access, GitHub, required_token
    from nyl.github.comment_targets import Nowhere
    from nyl.github.comments import preview, upsert
    from nyl.github.context import ActionsContext

    around = surroundings()
    context = ActionsContext.from_environ(around.environ)
    access = Access(_api_url(around.environ, server_url), required_token(around.environ))
    github = GitHub(access, around.clock, lambda text: write_err(f"{text}\n"))
    text = _body(body_file)
    target = _target(github, context, repository, request)
    if isinstance(target, Nowhere):
        result = CommentResult(key, skipped=target.reason, dry_run=dry_run)
    else:
        upserted = preview(github, target, key, text) if dry_run else upsert(github, target, key, text)
        result = CommentResult(key, target, upserted, dry_run=dry_run)
    report = Report(ReportKind.OPERATION, operation="comment-upsert", details=result.details)
    return emit(report, Form(output), as_text=lambda _report: result.text)


def _api_url(environ: Mapping[str, str], server_url: str | None) -> str:
    from nyl.github.context import GITHUB_COM, api_url_of, checked_url

    if server_url is None and environ.get("GITHUB_API_URL"):
        return checked_url(environ["GITHUB_API_URL"])
    return api_url_of(server_url or environ.get("GITHUB_SERVER_URL") or GITHUB_COM)


def _body(file: str) -> str:
    from nyl.core.codes import Code
    from nyl.core.diagnostics import NylError

    try:
        return _content(file).decode()
    except UnicodeDecodeError as error:
        raise NylError(
            Code.COMMENT_INVALID, f"The body file {file} is no UTF-8 text: {error.reason}.", "write it in UTF-8"
        ) from error


def _content(file: str) -> bytes:
    if file != _STDIN:
        return Path(file).read_bytes()
    with open(0, "rb", closefd=False) as stdin:
        return stdin.read()


def _target(
    github: "GitHub", context: "ActionsContext | None", repository: str | None, request: int | None
) -> "CommentTarget | Nowhere":
    from functools import partial

    from nyl.core.codes import Code
    from nyl.core.diagnostics import NylError
    from nyl.github.comment_targets import comment_target, named_target
    from nyl.github.commits import commit_pull_requests

    if repository is not None and request is not None:
        return named_target(context, repository, request)
    if context is None:
        raise NylError(
            Code.GITHUB_CONTEXT,
            "Outside GitHub Actions nothing tells which pull request is meant.",
            "name it with --repository OWNER/NAME --request NUMBER",
        )
    return comment_target(context, partial(commit_pull_requests, github))
