"""Carrying out an operation in the workspace: its progress, its report, and whatever it fails with."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from nyl.cli.failures import diagnose
from nyl.cli.local_fixes import local_diagnostics, local_report
from nyl.cli.options import works_locally
from nyl.cli.output import Form, Target, check_targets, emit
from nyl.cli.streams import kept_stdout, write_out
from nyl.cli.surroundings import Surroundings, surroundings
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic
from nyl.core.exits import Exit
from nyl.engine.events import Event, Listener
from nyl.engine.results import EnvironmentReport, Report, ReportKind
from nyl.report.plain_progress import Arrangement
from nyl.report.progress import Progress, ProgressMode, progress_view
from nyl.report.text import report_text

if TYPE_CHECKING:
    from nyl.core.cancellation import CancellationToken
    from nyl.engine.workspace import Workspace


@dataclass(frozen=True)
class View:
    """How the user wants to follow an operation and to get its report."""

    form: Form = Form.TEXT
    targets: Sequence[Target] = ()
    progress: ProgressMode = ProgressMode.PATIENT
    unit_output: bool = True
    as_text: Callable[[Report], str] = report_text
    write: Callable[[str], None] = write_out
    """Where the report goes as text."""
    environment: str | None = None
    """The one environment that an operation is about, for the report of one that is refused."""


@dataclass
class _Ears:
    """Passes events on, and keeps the diagnostics among them for the end, where they are looked for."""

    listener: Listener
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def __call__(self, event: Event) -> None:
        if isinstance(event, Diagnostic):
            self.diagnostics.append(event)
        else:
            self.listener(event)


def run_operation(
    act: "Callable[[Workspace], Report]",
    kind: ReportKind,
    view: View,
    operation: str | None = None,
    cancellation: "CancellationToken | None" = None,
) -> Exit:
    """Opens the workspace, carries out one operation while its progress shows, and prints its report."""
    ears: _Ears | None = None
    targets: Sequence[Target] = ()
    environ: Mapping[str, str] = {}
    try:
        around = surroundings()
        environ = around.environ
        check_targets(view.targets)
        targets = view.targets
        with kept_stdout(), _progress(view, around) as progress:
            ears = _Ears(progress)
            from nyl.engine.workspace import Workspace

            opened = Workspace.open(
                around.cwd,
                around.environ,
                around.clock,
                ears,
                is_local=works_locally(),
                cancellation=cancellation,
            )
            report = act(opened)
    except (Exception, KeyboardInterrupt) as error:
        report = _refused(kind, view, error, operation)
    heard: Sequence[Diagnostic] = ears.diagnostics if ears else ()
    if works_locally():
        report, heard = local_report(report), local_diagnostics(heard)
    return emit(report, view.form, targets, heard=heard, as_text=view.as_text, write=view.write, environ=environ)


def run_leased(act: "Callable[[Workspace], Report]", view: View, operation: str) -> Exit:
    """The same for an operation that holds a lease while it works, or writes elsewhere, and runs no unit.

    A signal lets it end as soon as nothing is left half done, with its lease given back; a second one ends it at once.
    """
    from nyl.cli.signals import cancelling_signals
    from nyl.core.cancellation import CancellationToken

    cancellation = CancellationToken()

    def cancel(number: int) -> None:
        if cancellation.cancelled:
            raise KeyboardInterrupt
        cancellation.cancel(number)

    with cancelling_signals(cancel):
        return run_operation(act, ReportKind.OPERATION, view, operation, cancellation)


def _refused(kind: ReportKind, view: View, error: BaseException, operation: str | None) -> Report:
    told = diagnose(error)
    if view.environment is None:
        return Report(kind, diagnostics=told, operation=operation)
    return Report(kind, (EnvironmentReport(view.environment, diagnostics=told),), operation=operation)


def _progress(view: View, around: Surroundings) -> Progress:
    return progress_view(view.progress, around.environ, around.clock, unit_output=view.unit_output, groups=_unit_groups)


def _unit_groups() -> Arrangement:
    from nyl.github.log_groups import UnitGroups

    return UnitGroups()
