"""Checking a push and saying what came of it, as the hooks do."""

from collections.abc import Sequence

from nyl.cli.streams import write_err
from nyl.cli.surroundings import surroundings
from nyl.core.diagnostics import Severity
from nyl.core.exits import Exit, worst
from nyl.engine.push_check import Push
from nyl.engine.push_guard import ALLOWANCE
from nyl.engine.push_repository import check_push_from
from nyl.git.pushes import PushedRef
from nyl.report.pushes import push_line


def check(remote: str, url: str, refs: Sequence[PushedRef]) -> Exit:
    """Checks a push to a remote and prints its problems, one line, and the plans that the project asks for."""
    around = surroundings()
    push = Push(remote, url, refs, allows_state=around.environ.get(ALLOWANCE) == "1")
    repository, report = check_push_from(around.cwd, around.environ, around.clock, push)
    if report.problems:
        from nyl.report.diagnostics import diagnostics_text

        write_err(diagnostics_text(report.problems, qualified=True) + "\n")
    write_err(push_line(report))
    ended = worst(each.code.exit for each in report.problems if each.severity is Severity.ERROR)
    planned = [each for each in report.checked if each.config.hooks.plan]
    if ended is Exit.OK and planned and repository.root is not None:
        from nyl.cli.hooks.planning import show_plan

        return worst([show_plan(around, repository.root, each) for each in planned])
    return ended
