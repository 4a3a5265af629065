"""Telling a state that somebody else has locked from other failures. nyl never takes such a lock away."""

import json
import re
from collections.abc import Iterator

from nyl.units.outcomes import FailureCategory
from nyl.units.terraform.halts import Halt
from nyl.units.terraform.workdir import Workdir

_FACT = re.compile(r"^\s*(ID|Operation|Who|Created):[ \t]*(\S.*?)\s*$", re.MULTILINE)
_HOLDER = re.compile(r"\bID=(\S+)")
_NOTHING = "terraform_data.nyl_asks_for_the_lock"
_UNCHANGED = {"TF_CLI_ARGS": "", "TF_CLI_ARGS_plan": ""}


def refuse_locked(workdir: Workdir) -> None:
    """Raises Halt (category `locked`) where somebody holds the lock of a unit's state.

    A plan of nothing finds that out, in its JSON: the tool tells of a lock nowhere but in a diagnostic, and shows those
    of the unit's own plan to people.
    """
    options = ("-input=false", "-refresh=false", "-lock-timeout=0s", f"-target={_NOTHING}", *workdir.var_options)
    result = workdir.read("plan", "-json", *options, variables=_UNCHANGED)
    if result.exit_code == 0:
        return
    for detail in _details(result.stdout):
        facts = _facts(detail)
        if facts is not None:
            raise _locked(workdir.binary.program, facts)


def _facts(detail: str) -> dict[str, str] | None:
    """What a diagnostic tells of a lock; None where it tells of none."""
    message, _, told = detail.partition("Lock Info:")
    facts = dict(_FACT.findall(told))
    if "ID" not in facts or "Who" not in facts:
        return None
    holder = _HOLDER.search(message)
    # The backend http tells of the lock that the tool wanted itself; of the one that is held only the id, before that.
    return facts if holder is None or holder[1] == facts["ID"] else {"ID": holder[1]}


def _details(output: bytes) -> Iterator[str]:
    for line in output.splitlines():
        try:
            detail = json.loads(line)["diagnostic"]["detail"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if isinstance(detail, str):
            yield detail


def _locked(program: str, facts: dict[str, str]) -> Halt:
    who = f" by {facts['Who']}" if "Who" in facts else " (the backend does not tell by whom)"
    since = f" since {facts['Created']}" if "Created" in facts else ""
    what = f" ({facts['Operation']})" if "Operation" in facts else ""
    return Halt(
        f"the state is locked{who}{what}{since}, lock {facts['ID']}; nyl never unlocks: wait for that to end, or make "
        f"sure that it is gone and run `{program} force-unlock {facts['ID']}`",
        FailureCategory.LOCKED,
    )
