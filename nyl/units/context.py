"""What a driver may use while it works on one unit."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from nyl.core.cancellation import CancellationToken
from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Severity
from nyl.core.masking import Masker
from nyl.core.scratch import remove_tree, scratch_folder
from nyl.core.supervision import GRACE_SECONDS
from nyl.core.tool_result import ToolResult
from nyl.units.driver import ReceiptFacts
from nyl.units.masked_stream import MaskedStream
from nyl.units.outcomes import NativeCommand
from nyl.units.transcript import LastLines, Sink, Transcript, readable
from nyl.units.translated_stream import TranslatedStream

if TYPE_CHECKING:
    from nyl.units.source_project import SourceProject
    from nyl.units.stopping import Stop


def _nowhere(_line: str) -> None:
    """Where the output of a unit goes that nobody follows."""


def _untouched() -> None:
    """How checkouts become what they were where nothing can change them."""


@dataclass
class UnitContext:
    """The execution context of one unit (see `nyl.units.driver.ExecutionContext`).

    `temporary` must be an empty private folder, such as `private_folder` gives; TMPDIR is made inside it and added to
    `variables`. `sink` takes each public line, masked and without its end. `deadline` is a reading of
    `time.monotonic()`; where it is None, `nyl.units.execution.execute` sets it from the unit's timeout. `grace` is how
    many seconds a tool has between being told to end and being killed. `warnings` collects what the driver warned of.
    `restore` makes the checkouts again what they were at first. `roots` are the folders that hold whole checkouts, by
    source field pointer, '' for S; without one, paths that begin with a slash begin where all others do. `shared` is
    the folder that units share; where it is None, what a unit keeps there goes with it.
    """

    checkout: Path
    temporary: Path
    variables: Mapping[str, str]
    checkouts: Mapping[str, Path] = field(default_factory=dict)
    masker: Masker = field(default_factory=Masker)
    sink: Sink = _nowhere
    deadline: float | None = None
    grace: float = GRACE_SECONDS
    cancellation: CancellationToken = field(default_factory=CancellationToken)
    warnings: list[Diagnostic] = field(default_factory=list)
    approved_digest: str | None = None
    revision: str = ""
    receipt: ReceiptFacts = field(default_factory=ReceiptFacts)
    shared: Path | None = None
    source: "SourceProject | None" = None
    execution_key: str = ""
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    fingerprint: str | None = None
    restore: Callable[[], object] = _untouched
    roots: Mapping[str, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._scratch.mkdir(mode=0o700, exist_ok=True)
        self.variables = {**self.variables, "TMPDIR": str(self._scratch)}

    @property
    def cache(self) -> Path:
        """The folder that units share, which is made when a driver asks for it."""
        folder = self.shared or self.temporary / "cache"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder

    @property
    def _scratch(self) -> Path:
        return self.temporary / "tmp"

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
        lines = LastLines(self.sink)
        shown = None if translate is None or capture_stdout else TranslatedStream(translate, lines, self.masker)
        return self._run(NativeCommand(argv, variables or {}, cwd), lines, shown, capture_stdout=capture_stdout)

    def run_native(self, command: NativeCommand, write: Callable[[str], None]) -> ToolResult:
        """Runs a prepared tool whose stdout is passed on as it comes, masked, and apart from its stderr."""
        result = self._run(command, LastLines(self.sink), MaskedStream(write, self.masker))
        for left, place in command.keeps.items():
            self._keep(left, place)
        return result

    def _keep(self, left: Path, place: Path) -> None:
        from nyl.units.keeping import keep

        if not left.is_file():
            return
        try:
            keep(left, place)
        except OSError as error:
            self.warn(f"the tool left {left.name}, which could not be kept: {error}", "repair the state without it")
        else:
            self.warn(f"the tool left {left.name}, which is kept in {place}", "use it to go on, then delete it")

    def _run(
        self,
        command: NativeCommand,
        lines: LastLines,
        stdout: MaskedStream | TranslatedStream | None,
        *,
        capture_stdout: bool = False,
    ) -> ToolResult:
        from nyl.core.supervision import ToolCall
        from nyl.core.tools import run_tool

        transcript = Transcript(lines, self.masker)
        call = ToolCall(
            argv=tuple(command.argv),
            cwd=command.cwd or self.checkout,
            variables={**self.variables, **command.variables},
            public=transcript.feed,
            cancellation=self.cancellation,
            deadline=self.deadline,
            grace=self.grace,
            capture_stdout=capture_stdout,
            stdout=None if stdout is None else stdout.feed,
        )
        result = run_tool(call)
        for each in (transcript, stdout):
            if each is not None:
                each.close()
        if result.start_error is not None:
            return replace(result, start_error=self.masker.mask(result.start_error))
        told = lines.lines
        return replace(result, last_line=told[-1] if told else "", last_lines=told)

    def located(self, path: str, source: str = "") -> Path:
        """Where a declared path of S, or of the source field with this pointer, lies in the checkouts."""
        folder = self.checkouts[source] if source else self.checkout
        return self.roots.get(source, folder) / path.lstrip("/") if path.startswith("/") else folder / path

    def readable(self, output: bytes) -> str:
        """What a tool printed privately, as text that may be shown: masked, without escape sequences and controls."""
        return readable(output, self.masker)

    def stopping(self) -> "AbstractContextManager[Stop]":
        """Tells, for as long as a block runs, when work that the driver does itself has to end."""
        from nyl.units.stopping import stopping

        return stopping(self.cancellation, self.deadline)

    def start_over(self) -> None:
        """Makes the checkouts and the private folder again what they were at first. Raises NylError or OSError."""
        for each in list(self.temporary.iterdir()):
            if each.is_dir() and not each.is_symlink():
                remove_tree(each)
            else:
                each.unlink()
        self._scratch.mkdir(mode=0o700)
        self.restore()

    def warn(self, message: str, fix: str) -> None:
        """Reports a warning about the unit (NYL-UNIT-OUTPUT)."""
        masked = self.masker.mask(message)
        self.warnings.append(Diagnostic(Code.UNIT_OUTPUT, masked, fix, Severity.WARNING))

    def mask(self, secret: str) -> None:
        """Hides a value from everything that is shown or logged from now on."""
        self.masker.add(secret)


def private_folder() -> AbstractContextManager[Path]:
    """A new folder that only this user can enter; it is deleted afterwards, with whatever a tool left in it."""
    return scratch_folder("unit")
