"""How `nyl plan` shows what a unit's driver would change, and its digest ready to paste."""

from nyl.engine.results import Action, UnitReport
from nyl.report.plaintext import inert_lines


def change_text(unit: UnitReport, address: str) -> str:
    """The change below a heading, and the option that approves it; '' where none was planned.

    `address` is how `--approve` names the unit.
    """
    if unit.changes is None:
        return ""
    body = [f"  {each}".rstrip() for each in inert_lines(unit.changes.rstrip())] or ["  nothing"]
    digest = unit.change_digest
    approving = [f"  digest: {digest}  approve with --approve {address}={digest}"] if digest else []
    what = f"the teardown of {unit.unit}" if unit.verdict is Action.TEARDOWN else unit.unit
    return "\n".join([f"What {what} would change:", *body, *approving, ""])
