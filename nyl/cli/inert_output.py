"""Output of a user's tool that reaches stdout as it is: in GitHub Actions nothing in it is a command to the runner."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from nyl.cli.streams import write_err, write_out
from nyl.github.commands import new_token, resume_commands, stop_commands


@contextmanager
def inert_output(environ: Mapping[str, str]) -> Iterator[None]:
    """While open, the runner of GitHub Actions takes every line of the process as text.

    It reads both streams as one, so that what says so is on stderr: stdout may be piped to somebody who wants nothing
    but the tool's words.
    """
    if environ.get("GITHUB_ACTIONS") != "true":
        yield
        return
    token = new_token()
    write_err(f"{stop_commands(token)}\n")
    try:
        yield
    finally:
        write_out("")
        write_err(f"{resume_commands(token)}\n")
