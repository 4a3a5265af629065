"""What GitHub Actions tells a step: the run, its event, and the pull request that the event is about.

Repository and API come from the runner's variables and the event file, never from the URL of a remote. Follows the
section Plan comments of the GitHub page.
"""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.git.refs import without_credentials

GITHUB_COM = "https://github.com"

PUSH = "push"
MERGE_GROUP = "merge_group"
PULL_REQUEST_TARGET = "pull_request_target"

_ATTEMPT = re.compile(r"[1-9][0-9]{0,8}")

ReadFile = Callable[[Path], bytes]


@dataclass(frozen=True)
class PullRequest:
    """A pull request of `repository`, its base. What an event does not tell is None."""

    repository: str
    number: int
    head_sha: str | None = None
    head_repository: str | None = None
    """None also where the fork was deleted."""
    base_ref: str | None = None
    base_sha: str | None = None
    is_open: bool = True
    merge_sha: str | None = None
    """The commit that merged it; while it is open, GitHub's trial of that."""

    @property
    def is_fork(self) -> bool:
        """Whether its head is known to come from another repository."""
        return self.head_sha is not None and (self.head_repository or "").lower() != self.repository.lower()


@dataclass(frozen=True)
class ActionsContext:
    """One attempt of a run of a workflow. A text that the runner does not tell is ''."""

    event: str
    repository: str
    server_url: str
    api_url: str
    run_id: str
    attempt: int
    sha: str
    ref: str
    default_branch: str = ""
    pull_request: PullRequest | None = None
    queue_base: str | None = None
    """Of a merge queue: the branch that it merges into."""
    pushed_message: str = ""
    """Of a push: the message of the commit that was pushed."""

    @property
    def run_url(self) -> str:
        """The page of the run, at this attempt."""
        return f"{self.server_url}/{self.repository}/actions/runs/{self.run_id}/attempts/{self.attempt}"

    @classmethod
    def from_environ(cls, environ: Mapping[str, str], read_file: ReadFile = Path.read_bytes) -> "ActionsContext | None":
        """The context of a step; None outside GitHub Actions.

        Raises NYL-GITHUB-CONTEXT where the event file cannot be read or is no JSON object.
        """
        if environ.get("GITHUB_ACTIONS") != "true":
            return None
        event = environ.get("GITHUB_EVENT_NAME", "")
        server = (environ.get("GITHUB_SERVER_URL") or GITHUB_COM).rstrip("/")
        attempt = environ.get("GITHUB_RUN_ATTEMPT", "")
        payload = _payload(environ.get("GITHUB_EVENT_PATH", ""), read_file)
        return cls(
            event,
            environ.get("GITHUB_REPOSITORY", ""),
            server,
            (environ.get("GITHUB_API_URL") or api_url_of(server)).rstrip("/"),
            environ.get("GITHUB_RUN_ID", ""),
            int(attempt) if _ATTEMPT.fullmatch(attempt) else 1,
            environ.get("GITHUB_SHA", ""),
            environ.get("GITHUB_REF", ""),
            _text(payload, "repository", "default_branch") or "",
            _pull_request(payload, environ.get("GITHUB_REPOSITORY", "")),
            _branch(_text(payload, "merge_group", "base_ref")),
            _text(payload, "head_commit", "message") or "",
        )


def api_url_of(server_url: str) -> str:
    """The REST API of a GitHub server: github.com, a `ghe.com` tenant, or an Enterprise Server.

    Raises NYL-GITHUB-CONTEXT for what is no http URL, or holds a credential.
    """
    parts = urlsplit(checked_url(server_url).rstrip("/"))
    host = (parts.hostname or "").lower()
    if host == "github.com" or host.endswith(".ghe.com"):
        return f"{parts.scheme}://api.{parts.netloc}"
    return f"{parts.scheme}://{parts.netloc}{parts.path}/api/v3"


def checked_url(url: str) -> str:
    """A URL of GitHub. Raises NYL-GITHUB-CONTEXT for what is no http URL, or holds a credential."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        usable = False
    if not usable:
        raise NylError(
            Code.GITHUB_CONTEXT,
            f"{without_credentials(url)!r} is no URL of a GitHub server.",
            "give one such as https://github.com with --server-url, GITHUB_SERVER_URL or GITHUB_API_URL",
        )
    return url


def _payload(file: str, read_file: ReadFile) -> Mapping[str, Any]:
    if not file:
        return {}
    try:
        payload = json.loads(read_file(Path(file)))
    except (OSError, ValueError, RecursionError) as error:
        raise _unreadable(file, f"it could not be read: {error}") from error
    if not isinstance(payload, dict):
        raise _unreadable(file, "it holds no JSON object")
    return payload


def _unreadable(file: str, why: str) -> NylError:
    return NylError(
        Code.GITHUB_CONTEXT,
        f"The event file {file}, which GITHUB_EVENT_PATH names, tells nothing: {why}.",
        "mount that file into the container that the step runs in, or unset GITHUB_EVENT_PATH",
    )


def _branch(ref: str | None) -> str | None:
    return ref.removeprefix("refs/heads/") if ref else None


def _pull_request(payload: Mapping[str, Any], repository: str) -> PullRequest | None:
    found = payload.get("pull_request")
    if isinstance(found, dict):
        return pull_request_of(found, repository)
    issue = payload.get("issue")
    if isinstance(issue, dict) and isinstance(issue.get("pull_request"), dict) and _number(issue) is not None:
        return PullRequest(repository, int(issue["number"]), is_open=issue.get("state", "open") == "open")
    return None


def pull_request_of(told: Mapping[str, Any], repository: str) -> PullRequest | None:
    """The pull request that an event or the API tells in GitHub's own form; its base repository wins."""
    number = _number(told)
    if number is None:
        return None
    return PullRequest(
        repository=_text(told, "base", "repo", "full_name") or repository,
        number=number,
        head_sha=_text(told, "head", "sha"),
        head_repository=_text(told, "head", "repo", "full_name"),
        base_ref=_text(told, "base", "ref"),
        base_sha=_text(told, "base", "sha"),
        is_open=told.get("state", "open") == "open",
        merge_sha=_text(told, "merge_commit_sha"),
    )


def _number(told: Mapping[str, Any]) -> int | None:
    number = told.get("number")
    return number if isinstance(number, int) and not isinstance(number, bool) and number > 0 else None


def _text(told: Mapping[str, Any], *path: str) -> str | None:
    value: Any = told
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) and value else None
