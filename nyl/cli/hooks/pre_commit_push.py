"""`nyl hooks pre-commit-push`: the hook nyl-pre-push of the pre-commit framework."""

import click

from nyl.core.exits import Exit


@click.command("pre-commit-push", hidden=True)
def command() -> Exit:
    """Check the one ref that pre-commit says is pushed, in variables; without any, what is checked out."""
    from nyl.cli.hooks.checking import check
    from nyl.cli.surroundings import surroundings
    from nyl.git.pushes import PushedRef

    environ = surroundings().environ
    ref = environ.get("PRE_COMMIT_REMOTE_BRANCH") or "HEAD"
    new = environ.get("PRE_COMMIT_TO_REF") or environ.get("PRE_COMMIT_LOCAL_BRANCH") or "HEAD"
    pushed = PushedRef(ref, new, environ.get("PRE_COMMIT_FROM_REF") or None)
    remote, url = (environ.get(f"PRE_COMMIT_REMOTE_{name}", "") for name in ("NAME", "URL"))
    return check(remote, url, [pushed])
