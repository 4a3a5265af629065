"""The reports of the commands that see to the pre-push hook."""

from collections.abc import Callable, Mapping
from typing import Any

from nyl.cli.output import Form, emit
from nyl.cli.surroundings import surroundings
from nyl.core.exits import Exit
from nyl.engine.results import Report, ReportKind
from nyl.git.client_hooks.installation import HookStatus
from nyl.git.repository import Repository


def report_hooks(verb: str, output: str, act: Callable[[Repository], Mapping[str, Any]]) -> Exit:
    """Does something about the hooks of the repository that is worked in, and prints what came of it."""
    around = surroundings()
    repository = Repository.discover(around.cwd, around.environ, around.clock)
    return emit(Report(ReportKind.OPERATION, operation=f"hooks-{verb}", details=act(repository)), Form(output))


def state_of(status: HookStatus) -> dict[str, str]:
    """What a report says of the hook."""
    found = {"state": status.state.value, "hook": status.hook, "before": status.before, "misplaced": status.misplaced}
    return {name: str(value) for name, value in found.items() if value is not None}
