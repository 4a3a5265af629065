"""Requests to one repository of a registry, with the login that the registry asks for."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit
from urllib.request import parse_http_list, parse_keqv_list

import requests
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase, HTTPBasicAuth
from requests.utils import select_proxy
from urllib3.util.retry import Retry

from nyl.core.unanswered import why_unanswered
from nyl.units.images.credentials import Credentials
from nyl.units.images.names import Repository, is_loopback

if TYPE_CHECKING:
    from requests import PreparedRequest, Response

_SECONDS = 30
_LARGEST = 16 * 1024 * 1024
"""Bytes of an answer that are read."""

_RETRIES = Retry(
    total=2,
    backoff_factor=0.2,
    status_forcelist=(429, 500, 502, 503, 504),
    allowed_methods=("GET", "PUT"),
    raise_on_status=False,
    respect_retry_after_header=False,
    redirect=False,
)


class RegistryError(Exception):
    """A registry did not do what it was asked. The text is a clause."""


class RegistryUnreachable(RegistryError):
    """A registry could not be asked."""


class RegistryDenied(RegistryError):
    """A registry does not accept the credentials, or there are none."""


class _Bearer(AuthBase):
    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: "PreparedRequest") -> "PreparedRequest":
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


class _Nobody(AuthBase):
    """No login, not even one from ~/.netrc, which requests would look for by itself."""

    def __call__(self, request: "PreparedRequest") -> "PreparedRequest":
        return request


class Transport:
    """Sends requests. `variables` are the unit's: its proxies, and SSL_CERT_FILE, are those of its tools too."""

    def __init__(self, repository: Repository, credentials: Credentials | None, variables: Mapping[str, str]) -> None:
        self._repository = repository
        self._credentials = credentials
        self._variables = {name.lower(): value for name, value in variables.items()}
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.verify = variables.get("SSL_CERT_FILE") or True
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, HTTPAdapter(max_retries=_RETRIES))
        self._login: AuthBase = _Nobody()

    def request(self, method: str, url: str, **options: Any) -> "Response":
        """The answer to a request, after a login where the registry asks for one; redirects are not followed.

        Raises RegistryUnreachable, and RegistryDenied when the login fails.
        """
        response = self._send(method, url, auth=self._login, **options)
        if response.status_code != 401:
            return response
        login = self._challenged(response.headers.get("WWW-Authenticate", ""))
        if login is None:
            return response
        self._login = login
        return self._send(method, url, auth=login, **options)

    def follow(self, response: "Response") -> "Response":
        """What a redirect leads to, without the login, which is the registry's alone. Raises RegistryUnreachable."""
        return self._send("GET", self._checked(urljoin(response.url, response.headers["Location"])), auth=_Nobody())

    def body(self, response: "Response") -> bytes:
        """What an answer holds. Raises RegistryUnreachable where it breaks off, and RegistryError for a large one."""
        data = bytearray()
        try:
            for chunk in response.iter_content(64 * 1024):
                data += chunk
                if len(data) > _LARGEST:
                    raise RegistryError(f"{self._repository.host} gave an answer larger than 16 MiB")
        except requests.RequestException as error:
            raise RegistryUnreachable(
                f"{urlsplit(response.url).netloc} broke off its answer: {why_unanswered(error)}"
            ) from None
        return bytes(data)

    def _challenged(self, challenge: str) -> AuthBase | None:
        scheme, _, rest = challenge.partition(" ")
        if scheme.lower() == "bearer":
            return _Bearer(self._token(_parameters(rest)))
        if scheme.lower() == "basic" and self._credentials is not None and self._credentials.username:
            return _basic(self._credentials)
        return None

    def _token(self, challenge: Mapping[str, str]) -> str:
        realm = self._checked(challenge.get("realm") or "")
        asked = {"scope": f"repository:{self._repository.path}:pull,push"}
        if challenge.get("service"):
            asked["service"] = challenge["service"]
        known = self._credentials
        if known is not None and known.identity_token:
            form = {**asked, "grant_type": "refresh_token", "refresh_token": known.identity_token, "client_id": "nyl"}
            response = self._send("POST", realm, data=form, auth=_Nobody())
        else:
            response = self._send("GET", realm, params=asked, auth=_basic(known) if known else _Nobody())
        if response.status_code in (400, 401, 403):
            raise RegistryDenied(f"{urlsplit(realm).netloc} answered {response.status_code} when asked for a token")
        try:
            given = json.loads(self.body(response))
            return str(given.get("token") or given["access_token"])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise RegistryError(
                f"{urlsplit(realm).netloc} answered {response.status_code} without a token when asked for one"
            ) from None

    def _checked(self, url: str) -> str:
        """A URL that a registry sends nyl to. Raises RegistryError where it would be asked in plain text."""
        try:
            place = urlsplit(url)
        except ValueError as error:
            raise RegistryError(f"{self._repository.host} sends nyl to a URL that is none: {error}") from None
        if place.scheme == "https" or (place.scheme == "http" and is_loopback(place.hostname or "")):
            return url
        raise RegistryError(f"{self._repository.host} sends nyl to a URL without TLS, which is not used")

    def _send(self, method: str, url: str, **options: Any) -> "Response":
        try:
            return self._session.request(
                method,
                url,
                timeout=_SECONDS,
                allow_redirects=False,
                stream=True,
                proxies=self._proxies(url),
                **options,
            )
        except requests.RequestException as error:
            raise RegistryUnreachable(f"{urlsplit(url).netloc} cannot be reached: {why_unanswered(error)}") from None

    def _proxies(self, url: str) -> dict[str, str]:
        if _is_excepted(urlsplit(url).hostname or "", self._variables.get("no_proxy", "")):
            return {}
        named = {scheme: self._variables.get(f"{scheme}_proxy", "") for scheme in ("http", "https", "all")}
        proxy = select_proxy(url, {scheme: each for scheme, each in named.items() if each})
        return {urlsplit(url).scheme: proxy} if proxy else {}


def _parameters(challenge: str) -> Mapping[str, str]:
    """The parameters of a challenge; none where it is malformed."""
    try:
        return parse_keqv_list(parse_http_list(challenge))
    except ValueError:
        return {}


def _is_excepted(host: str, no_proxy: str) -> bool:
    """Whether NO_PROXY names a host, or a domain that it lies in."""
    names = [each.strip().lstrip(".") for each in no_proxy.split(",")]
    return any(each == "*" or (each and (host == each or host.endswith(f".{each}"))) for each in names)


def _basic(credentials: Credentials) -> HTTPBasicAuth:
    return HTTPBasicAuth(credentials.username.encode(), credentials.password.encode())
