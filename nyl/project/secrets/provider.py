"""The provider that nyl.toml chooses."""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from nyl.core.diagnostics import NylError
from nyl.project.config import SecretsConfig, SecretsProviderKind

if TYPE_CHECKING:
    from nyl.git.repository import Repository

RunProgram = Callable[[Sequence[str], float], bytes]
"""Runs a program in the project's folder: argv and seconds to what it printed on stdout.

Raises OSError, with a text that holds nothing the program printed: TimeoutError when it takes longer,
ChildProcessError when it ends with another exit code than 0.
"""


class SecretsProvider(Protocol):
    """Where secrets come from."""

    def get(self, keys: Collection[str]) -> Mapping[str, str]:
        """The values of those keys that there are. Raises NYL-SECRET-UNAVAILABLE."""


def secrets_provider(
    config: SecretsConfig, folder: Path, environ: Mapping[str, str], run: RunProgram, repository: "Repository"
) -> SecretsProvider:
    """The provider of a project. `folder` is that of nyl.toml; nothing is read before the first key is asked for."""
    if config.provider is SecretsProviderKind.ENV:
        from nyl.project.secrets.variables import VariableSecrets

        return VariableSecrets(environ)
    if config.provider is SecretsProviderKind.COMMAND:
        from nyl.project.secrets.programs import read_command

        return _ReadOnce(lambda: read_command(config.command, run))
    path = folder / (config.file or "")
    if config.provider is SecretsProviderKind.SOPS:
        from nyl.project.secrets.programs import read_sops

        return _ReadOnce(lambda: read_sops(path, run))
    from nyl.project.secrets.files import read_file

    return _ReadOnce(lambda: read_file(path, repository))


class _ReadOnce:
    """A provider that reads all its secrets when the first is asked for, and remembers them, or that it failed."""

    def __init__(self, read: Callable[[], Mapping[str, str]]) -> None:
        self._read = read
        self._lock = threading.Lock()
        self._values: Mapping[str, str] | None = None
        self._failure: NylError | None = None

    def get(self, keys: Collection[str]) -> Mapping[str, str]:
        """The values of those keys that there are. Raises NYL-SECRET-UNAVAILABLE, again each time it is asked."""
        if not keys:
            return {}
        values = self._all()
        return {key: values[key] for key in keys if key in values}

    def _all(self) -> Mapping[str, str]:
        with self._lock:
            if self._failure is not None:
                raise self._failure
            if self._values is None:
                try:
                    self._values = self._read()
                except NylError as error:
                    self._failure = error
                    raise
            return self._values
