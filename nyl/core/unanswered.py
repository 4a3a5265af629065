"""Why a request over HTTP got no answer, in words for users: those of the libraries are about their own objects."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from requests import RequestException


def why_unanswered(error: "RequestException") -> str:
    """A clause such as `no answer came in time`, or `no connection could be made (Connection refused)`."""
    import ssl

    from requests import ConnectionError as NoConnection
    from requests import Timeout
    from requests.exceptions import ChunkedEncodingError, ProxyError

    if isinstance(error, Timeout):
        return "no answer came in time"
    untrusted = next((each for each in _causes(error) if isinstance(each, ssl.SSLCertVerificationError)), None)
    if untrusted is not None:
        return f"its certificate is not trusted ({untrusted.verify_message})"
    reason = next((each.strerror for each in _causes(error) if isinstance(each, OSError) and each.strerror), None)
    told = f" ({reason.partition(' (_ssl')[0]})" if reason else ""
    if isinstance(error, ProxyError):
        return f"no connection could be made through the proxy{told}"
    if isinstance(error, NoConnection):
        return f"no connection could be made{told}" if reason else "the connection could not be made, or was dropped"
    if isinstance(error, ChunkedEncodingError):
        return "the connection was dropped"
    return f"the request failed ({type(error).__name__})"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception, and those that led to it."""
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__ or found.__context__
