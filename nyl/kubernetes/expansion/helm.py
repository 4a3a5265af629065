"""The program `helm`: how it is called, with nothing of the user's configuration and without the network."""

import hashlib
import os
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from nyl.core.cancellation import CancellationToken
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.core.supervision import MOST_CAPTURED, ToolCall
from nyl.core.tool_result import ToolResult
from nyl.core.tools import run_tool

_SECONDS = 300.0
_MOST_STDERR = 64 * 1024
_NOWHERE = "http://127.0.0.1:9"
"""A proxy that does not answer: templating never reaches the network, whatever a chart's schema refers to."""
_COLLECT_RARELY = {"GOGC": "400"}
"""For Go's collector: helm lives for a moment, in which it spends a fifth of its time on garbage."""


@dataclass(frozen=True)
class HelmAnswer:
    """How helm ended: what it printed, and why it failed, '' when it did not."""

    stdout: bytes
    failure: str


class Helm:
    """Runs helm. `scratch` is a private folder for what it writes; safe to use from several threads."""

    def __init__(self, environ: Mapping[str, str], scratch: Path, cancellation: CancellationToken) -> None:
        self._environ = environ
        self._scratch = scratch
        self._cancellation = cancellation

    @property
    def identity(self) -> str:
        """What changes when another helm is installed; nothing is started for it."""
        return helm_identity(self._environ)

    def offline(self, arguments: Sequence[str]) -> HelmAnswer:
        """Runs helm with none of the user's settings and without the network. Raises NYL-HELM-UNAVAILABLE."""
        home = str(self._scratch / "home")
        proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), _NOWHERE)
        return self._run(
            arguments,
            {
                "PATH": self._environ.get("PATH", os.defpath),
                "HOME": home,
                "HELM_CONFIG_HOME": f"{home}/config",
                "LC_ALL": "C",
                "TZ": "UTC",
                "KUBECONFIG": os.devnull,
                **_COLLECT_RARELY,
                **self._folders(),
                **proxies,
            },
        )

    def online(self, arguments: Sequence[str]) -> HelmAnswer:
        """Runs helm with the user's registry logins, proxies and certificates. Raises NYL-HELM-UNAVAILABLE."""
        return self._run(arguments, {**self._environ, "LC_ALL": "C", "KUBECONFIG": os.devnull, **self._folders()})

    def _folders(self) -> dict[str, str]:
        home = self._scratch / "home"
        return {"HELM_CACHE_HOME": str(home / "cache"), "HELM_DATA_HOME": str(home / "data")}

    def _run(self, arguments: Sequence[str], variables: Mapping[str, str]) -> HelmAnswer:
        errors = bytearray()

        def keep(data: bytes) -> None:
            if len(errors) < _MOST_STDERR:
                errors.extend(data)

        self._scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
        call = ToolCall(
            argv=("helm", *arguments),
            cwd=self._scratch,
            variables=variables,
            public=keep,
            cancellation=self._cancellation,
            deadline=time.monotonic() + _SECONDS,
            capture_stdout=True,
        )
        result = run_tool(call)
        return HelmAnswer(result.stdout, _failure(result, errors.decode(errors="replace").strip()))


def helm_identity(environ: Mapping[str, str]) -> str:
    """What changes when another helm comes first on PATH; '' when there is none."""
    found = shutil.which("helm", path=environ.get("PATH", os.defpath))
    if found is None:
        return ""
    real = Path(found).resolve()
    try:
        facts = real.stat()
    except OSError:
        return ""
    return hashlib.sha256(f"{real} {facts.st_size} {facts.st_mtime_ns}".encode()).hexdigest()


def _failure(result: ToolResult, errors: str) -> str:
    if result.cancelled:
        raise NylError(Code.RUN_CANCELLED, "The invocation was cancelled while helm ran.", "run the command again")
    if result.start_error is not None:
        raise NylError(
            Code.HELM_UNAVAILABLE,
            f"A chart needs helm, and it cannot be started: {result.start_error}.",
            "install Helm 3.17 or newer, or Helm 4, and make sure that `helm version` works",
        )
    if result.timed_out:
        return f"it did not end within {_SECONDS:g} seconds"
    if result.exit_code != 0:
        return errors or f"it ended with exit {result.exit_code}, signal {result.signal}"
    return f"it printed more than {MOST_CAPTURED // 1024**2} MiB" if result.truncated else ""
