"""The transitions that a state ref's history tells of."""

from collections.abc import Iterator

from nyl.core.clock import Instant
from nyl.core.dataclass import dataclass
from nyl.state.access import StateAccess
from nyl.state.snapshot import StateSnapshot
from nyl.state.transitions import ENVIRONMENT, TransitionRecord, parse_transition

_FIELDS = "%H%x00%at%x00%an <%ae>%x00%B"


@dataclass(frozen=True)
class Entry:
    """One commit of a state ref: who wrote it, when, and what its message says."""

    commit: str
    at: Instant
    author: str
    record: TransitionRecord


def transitions(access: StateAccess, tip: str) -> Iterator[Entry]:
    """The transitions of this environment from a commit back, newest first."""
    # Other parents are archives, such as worktree snapshots.
    log = access.repository.checked("log", "-z", "--first-parent", f"--format={_FIELDS}", tip)
    parts = log.decode(errors="replace").split("\0")
    for commit, seconds, author, message in zip(*[iter(parts)] * 4, strict=False):
        entry = Entry(commit, Instant(int(seconds) * 1_000_000_000), author, parse_transition(message))
        if entry.record.trailers.get(ENVIRONMENT) != access.refs.environment:
            continue
        yield entry


def history(
    access: StateAccess, snapshot: StateSnapshot, unit: str | None = None, limit: int | None = None
) -> list[Entry]:
    """Every transition of an environment, newest first, whichever of the state refs it wrote.

    With `unit` only those whose summary names it with another result than `current`.
    """
    tips = dict.fromkeys((snapshot.desired_commit, snapshot.observed_commit))
    entries: dict[tuple[str, str], Entry] = {}
    for tip in reversed(tips):
        for entry in transitions(access, tip):
            # A run writes one transition, and another one for holds that arrive meanwhile.
            entries.setdefault((entry.record.run or entry.commit, entry.record.headline), entry)
    ordered = sorted(entries.values(), key=lambda each: each.at, reverse=True)
    told = [each for each in ordered if unit is None or _concerns(each.record, unit)]
    return told if limit is None else told[:limit]


def _concerns(record: TransitionRecord, unit: str) -> bool:
    result = record.units.get(unit)
    return isinstance(result, dict) and result.get("result") != "current"
