"""What a driver may use while it works on one unit."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from nyl.core.cancellation import CancellationToken
from nyl.core.tool_result import ToolResult

if TYPE_CHECKING:
    from nyl.units.driver import ReceiptFacts
    from nyl.units.source_project import SourceProject
    from nyl.units.stopping import Stop


class ExecutionContext(Protocol):
    """What a driver may use while it works on one unit."""

    checkout: Path
    """The project's folder in the unit's own checkout; tools run here."""

    checkouts: Mapping[str, Path]
    """The folder that paths of every source field are relative to, by its pointer."""

    revision: str
    """The commit that `checkout` holds; empty where that is not known."""

    temporary: Path
    """A private folder that is deleted afterwards."""

    @property
    def cache(self) -> Path:
        """A private folder that all units of this machine share, for what tools download and can download again."""

    receipt: "ReceiptFacts"
    """In an execution what the last one left, and the uid of the unit's incarnation; empty elsewhere."""

    source: "SourceProject | None"
    """The project at the commit that the unit works on, for kinds that render what it declares."""

    execution_key: str
    """In an execution the key that it is recorded with, `sha256:` and 64 hex digits; empty elsewhere."""

    fingerprint: str | None
    """Digest of what the unit reads beside its spec, as it was when it was resolved; None where that is not known."""

    secrets: Mapping[str, str]
    """The secrets that the driver itself asked for (`UsesSecrets`), by their keys; no tool gets them by itself."""

    approved_digest: str | None
    """The digest of the change that an operator reviewed and approved; None where none was named.

    An execution or teardown that gets one plans again before its first effect, and ends with AwaitingApproval when the
    digest is another by now.
    """

    deadline: float | None
    """When the unit's time is over, as time.monotonic() reads it. `run` keeps to it; so must a driver that waits."""

    cancellation: CancellationToken
    """Tells whether the run was cancelled. `run` keeps to it; so must a driver that waits."""

    variables: Mapping[str, str]
    """The admitted environment: PATH, HOME, TMPDIR, LANG, the passed-through variables and the secrets."""

    def run(
        self,
        argv: Sequence[str],
        *,
        variables: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        capture_stdout: bool = False,
        translate: Callable[[bytes], str | None] | None = None,
    ) -> ToolResult:
        """Runs a tool: own process group, streamed and masked output, the unit's deadline and cancellation.

        `variables` are added to the admitted ones. With `capture_stdout` stdout is private and returned. Otherwise
        `translate` may say what is shown in the place of each line of stdout as it comes: a text, or nothing for None.
        """

    def located(self, path: str, source: str = "") -> Path:
        """Where a declared path of S, or of the source field with this pointer, lies in the checkouts.

        A path that begins with a slash begins at the root of the repository.
        """

    def readable(self, output: bytes) -> str:
        """What a tool printed privately, as text that may be shown: masked, without escape sequences and controls."""

    def stopping(self) -> "AbstractContextManager[Stop]":
        """Tells, for as long as a block runs, when work that the driver does itself has to end."""

    def start_over(self) -> None:
        """Makes the checkouts and the private folder again what they were at first.

        For a driver that planned again: nothing that this left behind is taken for a part of the execution. Raises
        NylError or OSError.
        """

    def warn(self, message: str, fix: str) -> None:
        """Reports a warning about the unit (NYL-UNIT-OUTPUT)."""

    def mask(self, secret: str) -> None:
        """Hides a value from everything that is shown or logged from now on."""
