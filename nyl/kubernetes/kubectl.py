"""The program `kubectl`: comparing manifests with a cluster, and applying them to it."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from nyl.core.cancellation import CancellationToken
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.core.supervision import ToolCall
from nyl.core.tool_result import ToolResult
from nyl.core.tools import run_tool

_MOST_STDERR = 64 * 1024
_DIFFERENT = 1
"""Exit code of `kubectl diff` where something differs; above it, it failed."""


class KubectlVerb(StrEnum):
    """What kubectl does with manifests."""

    DIFF = "diff"
    APPLY = "apply"


@dataclass(frozen=True)
class KubectlAnswer:
    """What kubectl printed, and how it ended."""

    stdout: str
    stderr: str
    differs: bool
    """Whether `diff` found differences."""
    failure: str = ""
    """Why it failed; '' when it did not."""


@dataclass(frozen=True)
class Kubectl:
    """Runs kubectl with the user's own settings. `context` is one of the kubeconfig; None: the current one."""

    environ: Mapping[str, str]
    folder: Path
    cancellation: CancellationToken
    context: str | None = None

    def run(self, verb: KubectlVerb, manifests: bytes) -> KubectlAnswer:
        """Hands manifests to the server side of the cluster. Raises NYL-KUBECTL-UNAVAILABLE and NYL-RUN-CANCELLED."""
        errors = bytearray()

        def keep(data: bytes) -> None:
            errors.extend(data[: _MOST_STDERR - len(errors)])

        selected = ("--context", self.context) if self.context is not None else ()
        call = ToolCall(
            argv=("kubectl", verb.value, *selected, "--server-side", "-f", "-"),
            cwd=self.folder,
            variables=self.environ,
            public=keep,
            cancellation=self.cancellation,
            capture_stdout=True,
            stdin=manifests,
        )
        return _answer(verb, run_tool(call), errors.decode(errors="replace").strip())


def _answer(verb: KubectlVerb, result: ToolResult, errors: str) -> KubectlAnswer:
    if result.cancelled:
        message = f"The invocation was cancelled while kubectl {verb} ran."
        raise NylError(Code.RUN_CANCELLED, message, "run the command again; `nyl diff` shows what is left to do")
    if result.start_error is not None:
        raise NylError(
            Code.KUBECTL_UNAVAILABLE,
            f"kubectl cannot be started: {result.start_error}.",
            "install kubectl, and make sure that `kubectl version` works",
        )
    stdout = result.stdout.decode(errors="replace")
    # A kubectl that is called wrongly ends as one that found differences does, but has nothing to show.
    differs = verb is KubectlVerb.DIFF and result.exit_code == _DIFFERENT and not (errors and not stdout)
    if differs or result.exit_code == 0:
        return KubectlAnswer(stdout, errors, differs)
    ended = f"it ended with exit {result.exit_code}" if result.signal is None else f"signal {result.signal} ended it"
    return KubectlAnswer(stdout, "", False, errors or ended)
