"""Steps that need a remote: with a timeout, tried again with growing pauses, and never silent for long."""

import shlex
import tempfile
from collections.abc import Callable, Sequence

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.git.process import TIMED_OUT, GitResult
from nyl.git.repository import Repository

DEFAULT_TIMEOUT = 60.0
"""Seconds that one try of a step may take."""

_PAUSES = (1.0, 3.0)

_TRIAL = 64 * 1024
"""Bytes that a repository must have room for, to be able to keep anything."""


@dataclass(frozen=True)
class Step:
    """A Git command that talks to a remote.

    `doing` completes `waiting to ...`, such as `push to <url>`; `settings` are configuration for this command.
    """

    command: Sequence[str]
    doing: str
    timeout: float = DEFAULT_TIMEOUT
    settings: Sequence[tuple[str, str]] = ()
    stdin: bytes = b""


@dataclass(frozen=True)
class Answer:
    """How the last try ended, and how many there were."""

    result: GitResult
    tries: int


def succeeded(result: GitResult) -> bool:
    """Whether Git ended with exit 0."""
    return result.code == 0


def take(repository: Repository, step: Step, is_final: Callable[[GitResult], bool] = succeeded) -> Answer:
    """Runs a step until an answer is final, at most three times. What takes long or is tried again is told.

    `is_final` is asked before each pause and after it, as what it depends on may change meanwhile.
    """
    result = take_once(repository, step)
    tries = 1
    for pause in _PAUSES:
        if is_final(result):
            break
        repository.on_wait(f"could not {step.doing}; trying again in {pause:g} s: {_reason(result)}")
        repository.clock.sleep(pause)
        if is_final(result):
            break
        result = take_once(repository, step)
        tries += 1
    return Answer(result, tries)


def take_once(repository: Repository, step: Step) -> GitResult:
    """Runs a step once."""
    return repository.gateway.with_config(step.settings).run(
        repository.command(*step.command),
        repository.root or repository.git_dir,
        step.stdin,
        step.timeout,
        on_slow=lambda: repository.on_wait(f"waiting to {step.doing}"),
    )


def unavailable(url: str, result: GitResult) -> NylError:
    """The error for a remote that gave no usable answer; `url` is without credentials."""
    return NylError(
        Code.REMOTE_UNAVAILABLE,
        f"The repository {url} cannot be used: {_told(result)}",
        f"check the network, the URL and the credentials; `git ls-remote {shlex.quote(url)}` should answer without a "
        "prompt",
    )


def unfetched(repository: Repository, url: str, result: GitResult) -> NylError:
    """The same for what should have come into a repository.

    Where that can keep nothing, this is what is said: no look at the network would help.
    """
    problem = _unwritable(repository)
    if problem is None:
        return unavailable(url, result)
    return NylError(
        Code.FILE_INACCESSIBLE,
        f"{repository.common_dir} cannot keep what comes from {url} ({problem}): {_told(result)}",
        "see to its permissions and to the room on its disk, then run the command again",
    )


def _told(result: GitResult) -> str:
    if result.code == TIMED_OUT:
        return "it did not answer in time"
    return result.stderr or f"exit {result.code}"


def _unwritable(repository: Repository) -> str | None:
    try:
        with tempfile.TemporaryFile(dir=repository.common_dir) as trial:
            trial.write(bytes(_TRIAL))
    except OSError as error:
        return error.strerror or str(error)
    return None


def _reason(result: GitResult) -> str:
    """Git's own verdict: it comes first, and advice may follow."""
    lines = [line for line in result.stderr.splitlines() if line.strip()]
    verdicts = (line for line in lines if line.startswith(("fatal:", "error:")))
    return next(verdicts, lines[-1] if lines else f"exit {result.code}")
