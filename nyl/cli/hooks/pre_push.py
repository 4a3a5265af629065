"""`nyl hooks pre-push`: the pre-push hook of Git."""

import os

import click

from nyl.core.exits import Exit


@click.command("pre-push", hidden=True)
@click.argument("remote", default="")
@click.argument("url", default="")
def command(remote: str, url: str) -> Exit:
    """Check what Git, on standard input, says is pushed to REMOTE at URL. Exits with 0 when it may be."""
    from nyl.cli.hooks.checking import check
    from nyl.git.pushes import parse_push

    return check(remote, url, parse_push(_standard_input()))


def _standard_input() -> bytes:
    """What Git wrote; nothing where a person called the command."""
    if os.isatty(0):
        return b""
    with open(0, "rb", closefd=False) as stream:
        return stream.read()
