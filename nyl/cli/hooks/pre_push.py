"""`nyl hooks pre-push`: the pre-push hook of Git."""

import sys

import click

from nyl.core.exits import Exit


@click.command("pre-push", hidden=True)
@click.argument("remote", default="")
@click.argument("url", default="")
def command(remote: str, url: str) -> Exit:
    """Check what Git, on standard input, says is pushed to REMOTE. Exits with 0 when it may be."""
    from nyl.cli.hooks.checking import check
    from nyl.git.pushes import parse_push

    return check(remote, parse_push(b"" if sys.stdin.isatty() else sys.stdin.buffer.read()))
