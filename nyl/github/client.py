"""The one client of GitHub's API: PyGithub, with bounded patience and errors that say what to do.

PyGithub and requests are imported when the first request is made.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from nyl import __version__
from nyl.core.clock import Clock
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.core.unanswered import why_unanswered
from nyl.github.answers import Answer, Asked, NoClearAnswer, limit_wait, limited, problem, unclear

if TYPE_CHECKING:
    from github import Github
    from github.Repository import Repository

_T = TypeVar("_T")

_TIMEOUT = 30
"""Seconds that one request may take."""

_PATIENCE = 60.0
"""Seconds that a client waits in all, for limits to end and before it asks again."""

_AGAIN_AFTER = (1.0, 3.0)
"""Seconds before what can be repeated is asked again, after each time that gave no clear answer."""

_WORTH_TELLING = 5.0
"""Seconds of waiting that are not passed in silence."""

_ODD = (AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What PyGithub raises for an answer that is not GitHub's, such as a proxy's page."""

_VIEWER = Asked("tell whose token it is", "pull-requests: write")


@dataclass(frozen=True)
class Access:
    """Where the API is, and the token for it, which nothing shows."""

    api_url: str
    token: str = field(repr=False)


def token_of(environ: Mapping[str, str]) -> str | None:
    """The token for GitHub's API: GITHUB_TOKEN, else GH_TOKEN."""
    return environ.get("GITHUB_TOKEN") or environ.get("GH_TOKEN") or None


def required_token(environ: Mapping[str, str]) -> str:
    """The same. Raises NYL-GITHUB-CONTEXT where there is none."""
    token = token_of(environ)
    if token is None:
        raise NylError(
            Code.GITHUB_CONTEXT,
            "There is no token for GitHub's API.",
            "set GITHUB_TOKEN; in a workflow's step: `env: {GITHUB_TOKEN: '${{ github.token }}'}`",
        )
    return token


class GitHub:
    """The API of one GitHub server for one token.

    Every request raises NYL-GITHUB-REFUSED where the answer is a refusal, and NYL-GITHUB-UNAVAILABLE where limits do
    not end in time or no clear answer comes. `on_wait` is told, in one line, of longer waits.
    """

    def __init__(self, access: Access, clock: Clock, on_wait: Callable[[str], None] = lambda text: None) -> None:
        self._access = access
        self._clock = clock
        self._on_wait = on_wait
        self._patience = _PATIENCE

    @cached_property
    def api(self) -> "Github":
        """PyGithub's entry, which by itself neither retries nor waits nor asks for more than it is told to."""
        from github import Auth, Github

        return Github(
            auth=Auth.Token(self._access.token),
            base_url=self._access.api_url,
            timeout=_TIMEOUT,
            user_agent=f"nyl/{__version__}",
            per_page=100,
            retry=None,
            seconds_between_requests=None,
            seconds_between_writes=None,
            lazy=True,
        )

    def repository(self, name: str) -> "Repository":
        """A repository by its full name, without asking for it."""
        return self.api.get_repo(name)

    def viewer(self) -> str:
        """The login of the account that the token acts for, with `[bot]` for an App."""
        _, answer = self.ask(_VIEWER, lambda: self.api.requester.graphql_query("query{viewer{login}}", {}))
        match answer:
            case {"data": {"viewer": {"login": str(login)}}}:
                return login
        raise unclear(_VIEWER, "its answer names no account")

    def pages(self, asked: Asked, path: str) -> list[Any]:
        """The entries of all pages of a list that PyGithub has no method for."""
        entries: list[Any] = []
        following: str | None = path
        while following is not None:
            headers, page = self.ask(asked, partial(self.api.requester.requestJsonAndCheck, "GET", following))
            if not isinstance(page, list):
                raise unclear(asked, "its answer is no list")
            entries += page
            following = _next_page(headers)
        return entries

    def ask(self, asked: Asked, call: Callable[[], _T]) -> _T:
        """What a request answers that can be repeated without harm: it is, where no clear answer came."""
        for delay in _AGAIN_AFTER:
            try:
                return self.send(asked, call)
            except NoClearAnswer:
                if not self.wait(delay):
                    raise
        return self.send(asked, call)

    def send(self, asked: Asked, call: Callable[[], _T]) -> _T:
        """What a request answers. It is sent again only where a limit refused it. Raises NoClearAnswer as well."""
        from github import GithubException
        from requests import RequestException

        while True:
            try:
                return call()
            except GithubException as error:
                answer = _answer(error.status, error.data, error.headers)
                seconds = limit_wait(answer, self._clock.now().ns / 1e9)
                if seconds is None:
                    raise problem(asked, answer) from error
                if not self.wait(seconds):
                    raise limited(asked, seconds) from error
            except RequestException as error:
                raise unclear(asked, why_unanswered(error)) from error
            except _ODD as error:
                raise unclear(asked, "its answer is not one of GitHub's API") from error

    def wait(self, seconds: float) -> bool:
        """Waits, where that does not take longer than the client has patience left."""
        if seconds > self._patience:
            return False
        self._patience -= seconds
        if seconds >= _WORTH_TELLING:
            self._on_wait(f"waiting {seconds:.0f} s, as GitHub asks for")
        self._clock.sleep(seconds)
        return True


def _answer(status: int, data: object, headers: Mapping[str, str] | None) -> Answer:
    told = data.get("message") if isinstance(data, Mapping) else None
    lines = str(told).split("\n") if told else [""]
    return Answer(status, lines[0], {name.lower(): str(value) for name, value in (headers or {}).items()})


def _next_page(headers: Mapping[str, Any]) -> str | None:
    from requests.utils import parse_header_links

    links = parse_header_links(str(headers.get("link", "")))
    return next((each["url"] for each in links if each.get("rel") == "next"), None)
