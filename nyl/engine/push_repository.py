"""The repository that a push goes out of."""

from collections.abc import Mapping
from pathlib import Path

from nyl.core.clock import Clock
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.push_check import Push, PushReport, check_push
from nyl.git.repository import Repository

_ELSEWHERE = (Code.PROJECT_MISSING, Code.PUSH_INPUT)


def check_push_from(cwd: Path, environ: Mapping[str, str], clock: Clock, push: Push) -> tuple[Repository, PushReport]:
    """Checks a push in the repository of the working directory, or where that does not have what is pushed, of GIT_DIR.

    Git runs hooks in the working tree, and tells in GIT_DIR of a repository that lies elsewhere; a GIT_DIR that some
    other hook left behind leads astray. Raises NYL-PUSH-INPUT where neither has it, and NYL-PROJECT-MISSING.
    """
    named = environ.get("GIT_DIR", "")
    first: NylError | None = None
    for place in (cwd, *([cwd / named] if named else [])):
        try:
            repository = Repository.discover(place, environ, clock)
            return repository, check_push(repository, push)
        except NylError as error:
            first = first or error
            if error.diagnostic.code not in _ELSEWHERE:
                break
    assert first is not None
    raise first
