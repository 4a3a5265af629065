"""Repository URLs, which may be written in several ways: whether two mean one repository, and one form for all."""

import posixpath
import re
from urllib.parse import quote, unquote, urlsplit

from nyl.git.refs import without_credentials

_SCP = re.compile(r"(?:[^@/]+@)?(\[[^]]+\]|[^:/\[]+):(?!//)(.*)", re.DOTALL)
_PASSWORD = re.compile(r"(?<=[^/@]):[^/@]*(?=@)")
_DEFAULT_PORTS = {"https": 443, "http": 80, "ssh": 22, "git": 9418}
_UNQUOTED = "/~@:!$&'()*+,;="


def comparable_url(url: str) -> str:
    """A form of a URL that is equal for all spellings of one repository.

    How it is reached, as whom, default ports, a final slash, `.git` and the case of the host make no difference. It is
    for comparing alone: nothing is reached by it.
    """
    if "://" in url:
        scheme, _, rest = url.partition("://")
        if scheme.lower() == "file":
            return _path(unquote(rest))
        return _remote(url, scheme.lower())
    match = _SCP.fullmatch(url) if not url.startswith(("/", ".")) else None
    return f"{match[1].lower()}/{_path(match[2]).lstrip('/')}" if match else _path(url)


def shared_url(url: str) -> str:
    """The address of a repository for files that others read, the same in every clone of it and without credentials.

    Some clones reach a repository through SSH and some through HTTPS, with `.git` or without: the address is the HTTPS
    one with `.git`. A port that only one of them has stays as it is written, and so does what has no HTTPS address.
    """
    scheme, separator, rest = url.partition("://")
    if not separator:
        if not url.startswith(("/", ".")) and _SCP.fullmatch(url):
            return _https(url)
        return posixpath.normpath(url) if url.startswith("/") else url
    if scheme.lower() == "file":
        return posixpath.normpath(unquote(rest))
    usual = scheme.lower() in ("https", "ssh") and urlsplit(url).port in (None, _DEFAULT_PORTS[scheme.lower()])
    if usual:
        return _https(url)
    return _PASSWORD.sub("", url) if scheme.lower() == "ssh" else without_credentials(url)


def is_relative(url: str) -> bool:
    """Whether a URL is a path that means another place in another folder."""
    if "://" in url or url.startswith("/"):
        return False
    return url.startswith(".") or not _SCP.fullmatch(url)


def _https(url: str) -> str:
    host, _, path = comparable_url(url).partition("/")
    # Azure DevOps has its repositories at `_git/<name>`, and takes `.git` for a part of the name.
    suffix = "" if "/_git/" in f"/{path}" else ".git"
    return f"https://{host}/{quote(path, safe=_UNQUOTED)}{suffix}"


def _remote(url: str, scheme: str) -> str:
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port not in (None, _DEFAULT_PORTS.get(scheme)) else ""
    host = (parts.hostname or "").lower()
    return f"{f'[{host}]' if ':' in host else host}{port}/{_path(unquote(parts.path)).lstrip('/')}"


def _path(path: str) -> str:
    normal = posixpath.normpath(path) if path else path
    if normal.startswith("//"):
        normal = normal[1:]
    return normal.removesuffix("/.git").removesuffix(".git")
