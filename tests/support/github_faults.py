"""Faults that the loopback GitHub server can be told to show."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Fault:
    """What happens instead of an answer. `carried_out` before it, `dropped` without any, after `delay` seconds."""

    status: int = 0
    message: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    carried_out: bool = False
    dropped: bool = False
    delay: float = 0.0


def carried_out_then(status: int) -> Fault:
    """The request is carried out, and the answer says that the server failed."""
    return Fault(status, "Server Error", carried_out=True)


def server_error(status: int = 502) -> Fault:
    """Nothing is carried out."""
    return Fault(status, "Server Error")


def dropped(*, carried_out: bool) -> Fault:
    """The connection is closed without an answer."""
    return Fault(carried_out=carried_out, dropped=True)


def bad_credentials() -> Fault:
    """The token is not accepted (any more)."""
    return Fault(401, "Bad credentials")


def read_only() -> Fault:
    """The token of a fork's pull request wants to write."""
    return Fault(403, "Resource not accessible by integration")


def secondary_limit(after: int | None = None) -> Fault:
    """Too much was written in too little time."""
    headers = {} if after is None else {"Retry-After": str(after)}
    return Fault(403, "You have exceeded a secondary rate limit. Please wait a few minutes.", headers)


def too_many(after: int) -> Fault:
    """Too many requests, and how long to wait."""
    return Fault(429, "Too many requests", {"Retry-After": str(after)})


def proxy_page() -> Fault:
    """A page of something between the client and GitHub."""
    return Fault(200, "<html>Please log in</html>")


def missing() -> Fault:
    """What is asked for is not there, or not shown."""
    return Fault(404, "Not Found")


def slow(seconds: float) -> Fault:
    """The answer takes its time."""
    return Fault(delay=seconds, carried_out=True)
