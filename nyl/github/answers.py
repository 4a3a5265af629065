"""What an answer of GitHub's API that is no success means: to wait, to give up, or not to know.

Follows the section Plan comments of the GitHub page, and what GitHub documents of its rate limits.
"""

from collections.abc import Mapping
from dataclasses import field

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError

_UNTOLD_WAIT = 60.0
"""How long GitHub asks to wait where it limits requests without saying for how long."""


@dataclass(frozen=True)
class Asked:
    """A request in words: what it does, such as `write the comment`, and the permission that it needs."""

    what: str
    permission: str


@dataclass(frozen=True)
class Answer:
    """An answer that is no success. `headers` by their names in small letters."""

    status: int
    message: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


class NoClearAnswer(NylError):
    """Nobody knows whether a request was carried out: no answer came, or one of a server that failed."""


class NotFound(NylError):
    """What a request names is not there, or is not shown to the token."""


def limit_wait(answer: Answer, now: float) -> float | None:
    """How many seconds GitHub asks to wait before the request is sent again; None where it limits nothing.

    `now` in seconds since the epoch. A request that a limit refused was not carried out.
    """
    if answer.status not in (403, 429):
        return None
    told = _seconds(answer.headers.get("retry-after"))
    if told is not None:
        return max(told, 1.0)
    reset = _seconds(answer.headers.get("x-ratelimit-reset"))
    if answer.headers.get("x-ratelimit-remaining") == "0" and reset is not None:
        return max(reset - now, 1.0)
    if answer.status == 429 or "secondary rate limit" in answer.message.lower():
        return _UNTOLD_WAIT
    return None


def _seconds(text: str | None) -> float | None:
    return float(text) if text is not None and text.strip().isdecimal() else None


def problem(asked: Asked, answer: Answer) -> NylError:
    """The error of an answer that waiting does not help: NoClearAnswer, or NYL-GITHUB-REFUSED with the permission."""
    if answer.status >= 500:
        return unclear(asked, f"it answered {answer.status}")
    said = f"{answer.status} {answer.message}".strip().rstrip(".")
    if answer.status == 401:
        return _refused(
            f"GitHub does not accept the token, so nyl could not {asked.what}: {said}.",
            "set GITHUB_TOKEN to a token that is valid now; a job's own ends with the job, an App's after an hour",
        )
    if answer.status == 403:
        return _refused(
            f"GitHub did not let the token {asked.what}: {said}.",
            f"give the token the permission `{asked.permission}`: in a workflow, "
            f"`permissions: {{{asked.permission}}}` of the job. "
            "A pull request from a fork has a token that can only read",
        )
    if answer.status in (404, 410):
        return NotFound(
            Code.GITHUB_REFUSED,
            f"nyl could not {asked.what}: GitHub has no such thing, or does not show it to this token: {said}.",
            f"check repository and number, and that the token has the permission `{asked.permission}` there",
        )
    return _refused(
        f"GitHub refused to {asked.what}: {said}.", "correct what it names; nothing was written by this request"
    )


def unclear(asked: Asked, why: str) -> NoClearAnswer:
    """The error where no clear answer came, such as `the connection was dropped`."""
    return NoClearAnswer(
        Code.GITHUB_UNAVAILABLE,
        f"GitHub gave no clear answer when it was asked to {asked.what}: {why}.",
        "run it again; https://www.githubstatus.com tells of disturbances of github.com",
    )


def limited(asked: Asked, seconds: float) -> NylError:
    """The error where GitHub asks to wait longer than nyl does."""
    return NylError(
        Code.GITHUB_UNAVAILABLE,
        f"GitHub limits the token's requests, and asks to wait {seconds:.0f} s before nyl may {asked.what}.",
        "run it again after that time",
    )


def _refused(message: str, fix: str) -> NylError:
    return NylError(Code.GITHUB_REFUSED, message, fix)
