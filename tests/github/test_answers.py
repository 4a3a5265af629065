import pytest

from nyl.core.codes import Code
from nyl.github.answers import Answer, Asked, NoClearAnswer, NotFound, limit_wait, problem

_WRITE = Asked("write the comment", "pull-requests: write")
_SECONDARY = "You have exceeded a secondary rate limit. Please wait."


@pytest.mark.parametrize(
    ("status", "message", "headers", "seconds"),
    [
        (429, "", {"retry-after": "12"}, 12),
        (429, "", {"retry-after": "0"}, 1),
        (429, "", {}, 60),
        (429, "", {"retry-after": "soon"}, 60),
        (403, _SECONDARY, {}, 60),
        (403, _SECONDARY, {"retry-after": "5"}, 5),
        (403, "API rate limit exceeded", {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1030"}, 30),
        (403, "API rate limit exceeded", {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "900"}, 1),
        (403, "Resource not accessible by integration", {"x-ratelimit-remaining": "4999"}, None),
        (401, "", {"retry-after": "5"}, None),
        (500, "", {"retry-after": "5"}, None),
    ],
)
def test_how_long_a_limit_asks_to_wait(
    status: int, message: str, headers: dict[str, str], seconds: float | None
) -> None:
    assert limit_wait(Answer(status, message, headers), now=1000.0) == seconds


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_server_that_failed_may_have_carried_the_request_out(status: int) -> None:
    assert isinstance(problem(_WRITE, Answer(status)), NoClearAnswer)


@pytest.mark.parametrize(
    ("status", "kind", "fix"),
    [
        (401, None, "set GITHUB_TOKEN to a token that is valid now"),
        (403, None, "`permissions: {pull-requests: write}`"),
        (404, NotFound, "`pull-requests: write`"),
        (410, NotFound, "`pull-requests: write`"),
        (422, None, "correct what it names"),
    ],
)
def test_a_refusal_says_what_to_do(status: int, kind: type | None, fix: str) -> None:
    error = problem(_WRITE, Answer(status, "Said so."))
    assert error.diagnostic.code is Code.GITHUB_REFUSED
    assert fix in error.diagnostic.fix
    assert f"{status} Said so." in error.diagnostic.message
    assert type(error) is (kind or type(problem(_WRITE, Answer(422))))
