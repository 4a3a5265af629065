"""A GitHub server on the loopback: comments, pull requests and review histories over real HTTP, with faults to order.

Every request and response that crosses it is validated against GitHub's OpenAPI description; `serve_github` fails when
one does not fit.
"""

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urlencode

from openapi_core import OpenAPI
from openapi_core.contrib.werkzeug import WerkzeugOpenAPIRequest, WerkzeugOpenAPIResponse
from openapi_core.exceptions import OpenAPIError
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map, Rule
from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.wrappers import Request, Response

from tests.support.github_bodies import Comment, Pull, comment_body, description, pull_body, user_body
from tests.support.github_faults import Fault, bad_credentials, missing

TOKEN = "ghs_canaryTokenOfTheTests0123456789abcdef"
ACTIONS = "github-actions[bot]"
PAGE = 30
_HOST = "https://api.github.com"
_ROUTES = Map(
    [
        Rule("/graphql", methods=["POST"], endpoint="graphql"),
        Rule("/repos/<owner>/<repo>/issues/<int:number>/comments", methods=["GET"], endpoint="list_comments"),
        Rule("/repos/<owner>/<repo>/issues/<int:number>/comments", methods=["POST"], endpoint="create_comment"),
        Rule("/repos/<owner>/<repo>/issues/comments/<int:id>", methods=["PATCH"], endpoint="update_comment"),
        Rule("/repos/<owner>/<repo>/issues/comments/<int:id>", methods=["DELETE"], endpoint="delete_comment"),
        Rule("/repos/<owner>/<repo>/pulls/<int:number>", methods=["GET"], endpoint="get_pull"),
        Rule("/repos/<owner>/<repo>/commits/<sha>/pulls", methods=["GET"], endpoint="list_pulls"),
        Rule("/repos/<owner>/<repo>/actions/runs/<int:run>/approvals", methods=["GET"], endpoint="list_reviews"),
    ]
)


@dataclass
class GitHubServer:
    """What the server knows, what it is told to do wrong, and what it saw."""

    viewer: str = ACTIONS
    comments: list[Comment] = field(default_factory=list)
    pulls: list[Pull] = field(default_factory=lambda: [Pull()])
    reviews: list[dict[str, Any]] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    creators: threading.Barrier | None = None
    """Holds creates back until so many are under way."""
    after_first_write: Callable[[], object] | None = None
    """Is called once, when the first request to write was answered, or was not."""
    address: str = ""
    _faults: list[tuple[str, Fault, list[int]]] = field(default_factory=list)
    _ids: Iterator[int] = field(default_factory=lambda: itertools.count(1001))
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def fail(self, fault: Fault, on: str = "POST /repos", times: int = 1, after: int = 0) -> None:
        """Shows a fault for the next `times` requests that begin with `on`, past the first `after` of them."""
        self._faults.append((on, fault, [after, times]))

    def comment(self, body: str, author: str | None = None) -> Comment:
        """Adds a comment to the pull request."""
        with self._lock:
            added = Comment(next(self._ids), author or self.viewer, body)
            self.comments.append(added)
        return added

    def review(self, user: str, *environments: str, state: str = "approved") -> None:
        """Adds an entry to the review history of the run."""
        named = [{"id": 1, "node_id": "E1", "name": each, "url": "u", "html_url": "h"} for each in environments]
        self.reviews.append({"environments": named, "state": state, "user": user_body(user), "comment": ""})

    @property
    def reads(self) -> int:
        """How many requests read; the query for the viewer is one."""
        return len(self.requests) - self.writes

    @property
    def writes(self) -> int:
        """How many requests asked to write."""
        return sum(not each.startswith("GET ") and "/graphql" not in each for each in self.requests)

    def answer(self, request: Request) -> Response | None:
        """The answer to one request; None where the connection is to be dropped."""
        route = f"{request.method} {request.path}"
        with self._lock:
            self.requests.append(route)
            self.bodies.append(request.get_data(as_text=True))
        fault = self._fault(route)
        time.sleep(fault.delay if fault else 0)
        if request.headers.get("Authorization") not in (f"token {TOKEN}", f"Bearer {TOKEN}"):
            return _refusal(bad_credentials())
        carried_out = None if fault and not fault.carried_out else self._carry_out(request)
        if fault is None or fault.delay:
            return carried_out
        return None if fault.dropped else _refusal(fault)

    def written(self) -> None:
        """Takes note that a request to write ended."""
        with self._lock:
            act, self.after_first_write = self.after_first_write, None
        if act is not None:
            act()

    def _fault(self, route: str) -> Fault | None:
        with self._lock:
            for prefix, fault, counts in self._faults:
                if not route.startswith(prefix) or not counts[1]:
                    continue
                if counts[0]:
                    counts[0] -= 1
                    continue
                counts[1] -= 1
                return fault
        return None

    def _carry_out(self, request: Request) -> Response:
        try:
            endpoint, values = _ROUTES.bind_to_environ(request.environ).match()
        except HTTPException:
            return _refusal(missing())
        if endpoint == "create_comment" and self.creators is not None:
            self.creators.wait(10)
        with self._lock:
            answer: Response = getattr(self, f"_{endpoint}")(request, **values)
        return answer

    def _graphql(self, request: Request) -> Response:
        if json.loads(request.get_data())["query"].replace(" ", "") != "query{viewer{login}}":
            return _json({"errors": [{"type": "UNKNOWN", "message": "not a query of these tests"}]})
        return _json({"data": {"viewer": {"login": self.viewer}}})

    def _list_comments(self, request: Request, owner: str, repo: str, number: int) -> Response:
        if number not in {each.number for each in self.pulls}:
            return _refusal(missing())
        return _page(
            request, [comment_body(each, self.address) for each in sorted(self.comments, key=lambda each: each.id)]
        )

    def _create_comment(self, request: Request, owner: str, repo: str, number: int) -> Response:
        added = self.comment(json.loads(request.get_data())["body"])
        return _json(comment_body(added, self.address), 201)

    def _update_comment(self, request: Request, owner: str, repo: str, id: int) -> Response:
        for each in (each for each in self.comments if each.id == id):
            each.body = json.loads(request.get_data())["body"]
            return _json(comment_body(each, self.address))
        return _refusal(missing())

    def _delete_comment(self, request: Request, owner: str, repo: str, id: int) -> Response:
        kept = [each for each in self.comments if each.id != id]
        if len(kept) == len(self.comments):
            return _refusal(missing())
        self.comments[:] = kept
        return Response(status=204)

    def _get_pull(self, request: Request, owner: str, repo: str, number: int) -> Response:
        found = next((each for each in self.pulls if each.number == number), None)
        return _json(pull_body(found)) if found else _refusal(missing())

    def _list_pulls(self, request: Request, owner: str, repo: str, sha: str) -> Response:
        return _page(request, [pull_body(each) for each in self.pulls if sha in (each.head_sha, each.merge_sha)])

    def _list_reviews(self, request: Request, owner: str, repo: str, run: int) -> Response:
        return _page(request, self.reviews)


@contextmanager
def serve_github(prefix: str = "") -> Iterator[GitHubServer]:
    """A server on a free port; `prefix` is the path of the API, such as /api/v3 of an Enterprise Server.

    Raises AssertionError when anything that crossed it does not fit GitHub's description, or tells the token.
    """
    state = GitHubServer()
    server = make_server("127.0.0.1", 0, lambda environ, start: _serve(state, environ, start), True, 1, _Quiet)
    root = f"http://127.0.0.1:{server.server_port}"
    state.address = root + prefix
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert not state.violations, "\n".join(state.violations)
    assert not any(TOKEN in each for each in state.bodies)


class _Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, type: str, message: str, *args: Any) -> None:
        return


def _serve(state: GitHubServer, environ: dict[str, Any], start: Any) -> Any:
    prefix = state.address.partition("//")[2].partition("/")[2]
    path = environ["PATH_INFO"]
    environ["PATH_INFO"] = "/graphql" if path.endswith("/graphql") else path.removeprefix(f"/{prefix}")
    request = Request(environ)
    response = state.answer(request)
    if request.method != "GET" and request.path != "/graphql":
        state.written()
    if response is None:
        environ["werkzeug.socket"].shutdown(2)
        raise ConnectionError("dropped, as ordered")
    response.headers.extend(_LIMITS)
    if request.path != "/graphql":
        _validate(state, request, response)
    return response(environ, start)


_LIMITS = {
    "X-RateLimit-Limit": "5000",
    "X-RateLimit-Remaining": "4999",
    "X-RateLimit-Used": "1",
    "X-RateLimit-Reset": "1792936800",
    "X-RateLimit-Resource": "core",
}


def _validate(state: GitHubServer, request: Request, response: Response) -> None:
    openapi, asked = _openapi(), _ApiRequest(request)
    try:
        openapi.validate_request(asked)
        if response.status_code < 400 and response.mimetype == "application/json":
            openapi.validate_response(asked, WerkzeugOpenAPIResponse(response))
    except OpenAPIError as error:
        causes = getattr(error.__cause__, "schema_errors", ())
        told = "; ".join(f"{'/'.join(map(str, each.absolute_path))}: {each.message[:200]}" for each in causes)
        state.violations.append(f"{request.method} {request.path}: {error!r} {error.__cause__!r:.300} {told}")


class _ApiRequest(WerkzeugOpenAPIRequest):
    """A request as it would reach GitHub, so that one reading of the description does for all servers."""

    @property
    def host_url(self) -> str:
        return _HOST


@cache
def _openapi() -> OpenAPI:
    return OpenAPI.from_dict({**description(), "servers": [{"url": _HOST}]})


def _page(request: Request, entries: list[dict[str, Any]]) -> Response:
    size = min(PAGE, request.args.get("per_page", PAGE, int))
    page = request.args.get("page", 1, int)
    last = max(1, -(-len(entries) // size))
    response = _json(entries[(page - 1) * size : page * size])
    relations = {"first": 1, "prev": page - 1, "next": page + 1, "last": last}
    links = [
        f'<{request.base_url}?{urlencode({**request.args, "page": number})}>; rel="{name}"'
        for name, number in relations.items()
        if 1 <= number <= last and number != page
    ]
    if links:
        response.headers["Link"] = ", ".join(links)
    return response


def _json(value: Any, status: int = 200) -> Response:
    return Response(json.dumps(value), status, mimetype="application/json")


def _refusal(fault: Fault) -> Response:
    told = {"message": fault.message, "documentation_url": "https://docs.github.com/rest"}
    if fault.status == 200:
        return Response(fault.message, mimetype="text/html")
    response = _json(told, fault.status)
    response.headers.extend(fault.headers)
    return response
