"""Checks of ref names and repository URLs before they get anywhere near a command line."""

import re
from urllib.parse import urlsplit

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError

_BAD_IN_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|$)|^[./]|[./]$")
_CREDENTIALS = re.compile(r"\b([a-z][a-z0-9+.-]*://)[^/@\s]+@", re.IGNORECASE)
_SCP = re.compile(r"(?:[A-Za-z0-9._-]+@)?\[?[A-Za-z0-9.:_-]+\]?:(?!:)")
_SCHEMES = frozenset({"https", "http", "ssh", "git", "file"})


def check_ref_name(name: str) -> str:
    """The name, when Git takes it as a ref or branch name and it is safe as an argument.

    Raises NylError (NYL-URL-REFUSED) otherwise.
    """
    if not name or name.startswith("-") or name == "@" or _BAD_IN_REF.search(name):
        raise NylError(
            Code.URL_REFUSED,
            f"{name!r} is not a valid ref name.",
            "name a branch such as `main`, or a full ref such as `refs/tags/v1`",
        )
    return name


def full_ref(name: str) -> str:
    """The full name of a ref: a branch unless it starts with `refs/`. Raises NylError for invalid names."""
    return check_ref_name(name if name.startswith("refs/") else f"refs/heads/{name}")


def check_url(url: str) -> str:
    """The URL, when it is one that Git may be given: https, http, ssh, git, file, `host:path` or a local path.

    Raises NylError (NYL-URL-REFUSED) for credentials in the URL, options, remote helpers and control characters.
    """
    reason = _refusal(url)
    if reason:
        raise NylError(
            Code.URL_REFUSED,
            f"The repository URL {without_credentials(url)!r} is refused: {reason}.",
            "write a plain URL; give credentials through a Git credential helper, SSH or http.extraHeader",
        )
    return url


def without_credentials(text: str) -> str:
    """A URL, or a text with URLs in it, without user names and passwords."""
    return _CREDENTIALS.sub(r"\1", text)


def _refusal(url: str) -> str | None:
    if not url or url.startswith("-"):
        return "it is empty or looks like an option"
    if any(ord(each) < 32 or ord(each) == 127 for each in url):
        return "it holds control characters"
    if "://" not in url:
        helper = re.match(r"[A-Za-z0-9+.-]+::", url)
        return "it names a remote helper" if helper else None
    scheme = url.partition("://")[0].lower()
    if scheme not in _SCHEMES:
        return f"{scheme} is not a supported scheme"
    try:
        parts = urlsplit(url)
    except ValueError as error:
        return str(error)
    if parts.password is not None or (parts.username is not None and scheme in ("http", "https")):
        return "it holds credentials"
    if (parts.hostname or "").startswith("-"):
        return "its host looks like an option"
    return None


def is_local(url: str) -> bool:
    """Whether a URL names a folder of this machine."""
    return url.startswith("file://") or ("://" not in url and not (_SCP.match(url) and not url.startswith(("/", "."))))
