"""Logins of registries: from secrets that a unit names, or from the files that `docker login` and others write."""

import base64
import binascii
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.units.execution_context import ExecutionContext
from nyl.units.images.names import login_keys
from nyl.units.images.spec import Login
from nyl.units.steps import write_private_json

_TOKEN_USER = "<token>"


class CredentialsUnfit(Exception):
    """Credentials that no registry can be logged in to with. The text is a clause."""


@dataclass(frozen=True)
class Credentials:
    """A login."""

    username: str = field(repr=False)
    password: str = field(repr=False)
    identity_token: str = field(default="", repr=False)

    @property
    def encoded(self) -> str:
        """As files of logins and the Authorization header hold it."""
        return base64.b64encode(f"{self.username}:{self.password}".encode()).decode()


def named_credentials(logins: Mapping[str, Login], context: ExecutionContext) -> dict[str, Credentials]:
    """The logins that a unit's secrets give, by registry; their encoded forms are masked from now on.

    Raises CredentialsUnfit.
    """
    found = {}
    for host, login in logins.items():
        username, password = context.secrets[login.username].strip(), context.secrets[login.password].strip("\r\n")
        if not username or ":" in username:
            raise CredentialsUnfit(f"the user name for {host} (secret {login.username}) is empty or has a colon")
        if not password:
            raise CredentialsUnfit(f"the password for {host} (secret {login.password}) is empty")
        found[host] = Credentials(username, password)
        context.mask(found[host].encoded)
    return found


def login_file(folder: Path, credentials: Mapping[str, Credentials]) -> Path:
    """Writes a file with some logins, for the builder. Only this user can read it."""
    auths = {key: {"auth": each.encoded} for host, each in credentials.items() for key in login_keys(host)[:2]}
    path = folder / "config.json"
    write_private_json(path, {"auths": auths})
    return path


def own_credentials(host: str, context: ExecutionContext) -> Credentials | None:
    """The login that the user's own files hold for a registry, or the helpers that these name; None without one."""
    for path in _files(context.variables):
        content = _content(path)
        for key in login_keys(host):
            helper = content.get("credHelpers", {}).get(key) or content.get("credsStore")
            found = _helped(str(helper), key, context) if helper else _stored(content.get("auths", {}).get(key))
            if found is not None:
                context.mask(found.encoded)
                return found
    return None


def _files(variables: Mapping[str, str]) -> Iterator[Path]:
    """Where builders look, in their order: their own variables, the run-time folder, and the home folder."""
    if variables.get("REGISTRY_AUTH_FILE"):
        yield Path(variables["REGISTRY_AUTH_FILE"])
    if variables.get("DOCKER_CONFIG"):
        yield Path(variables["DOCKER_CONFIG"]) / "config.json"
    runtime = variables.get("XDG_RUNTIME_DIR") or f"/run/containers/{os.getuid()}"
    yield Path(runtime) / "containers/auth.json" if "XDG_RUNTIME_DIR" in variables else Path(runtime) / "auth.json"
    home = Path(variables.get("HOME", "/"))
    yield home / ".config/containers/auth.json"
    yield home / ".docker/config.json"


def _content(path: Path) -> Mapping[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    if not isinstance(content, dict):
        return {}
    return {name: value for name, value in content.items() if isinstance(value, dict) or name == "credsStore"}


def _stored(entry: object) -> Credentials | None:
    if not isinstance(entry, Mapping):
        return None
    token = str(entry.get("identitytoken") or "")
    try:
        decoded = base64.b64decode(str(entry.get("auth") or ""), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    username, _, password = decoded.partition(":")
    return Credentials(username, password.rstrip("\0"), token) if username or token else None


def _helped(helper: str, key: str, context: ExecutionContext) -> Credentials | None:
    """What a credential helper gives for a registry. It reads the registry's name from its stdin."""
    script = 'printf %s "$2" | exec "docker-credential-$1" get'
    result = context.run(["/bin/sh", "-c", script, "sh", helper, key], capture_stdout=True)
    if result.exit_code != 0:
        return None
    try:
        given = json.loads(result.stdout)
        username, secret = str(given["Username"]), str(given["Secret"])
    except (ValueError, KeyError, TypeError):
        return None
    context.mask(secret)
    return Credentials("", "", secret) if username == _TOKEN_USER else Credentials(username, secret)
