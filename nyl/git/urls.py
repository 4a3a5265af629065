"""Whether two repository URLs, which may be written in several ways, mean one repository."""

import posixpath
import re
from urllib.parse import unquote, urlsplit

_SCP = re.compile(r"(?:[^@/]+@)?(\[[^]]+\]|[^:/\[]+):(?!//)(.*)", re.DOTALL)
_DEFAULT_PORTS = {"https": 443, "http": 80, "ssh": 22, "git": 9418}


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
