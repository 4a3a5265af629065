"""Whether the commits of a state ref are a chain of transitions, each made from what the one before it left."""

from collections.abc import Iterator

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError
from nyl.state.access import StateAccess
from nyl.state.history import transitions
from nyl.state.transitions import OPERATION, TransitionRecord, parse_transition


@dataclass(frozen=True)
class Chain:
    """How many commits changed the environment's files, and what is wrong with them."""

    commits: int
    problems: tuple[NylError, ...]


def check_chain(access: StateAccess, ref: str, tip: str, read_trailer: str) -> Chain:
    """Looks at every commit of a state ref that changed this environment's files, the oldest first.

    Each must have been written by nyl, from a state in which the changes before it were there already: others may
    have written elsewhere on a shared ref meanwhile.
    """
    order = access.repository.checked("rev-list", "--first-parent", "--reverse", tip).decode().split()
    position = {commit: index for index, commit in enumerate(order)}
    problems = []
    before = count = 0
    for commit, record in _touching(access, tip):
        count += 1
        here = position[commit]
        why = _problem(record, position, before, here, read_trailer)
        if why is not None:
            problems.append(_error(access, ref, commit, why))
        before = here
    return Chain(count, (*problems, *_break_problems(access, ref, tip)))


def _problem(
    record: TransitionRecord, position: dict[str, int], before: int, here: int, read_trailer: str
) -> str | None:
    if OPERATION not in record.trailers:
        return "changes documents of state and was not written by nyl"
    read = record.trailers.get(read_trailer)
    if read is None:
        return None
    if not before <= position.get(read, -1) < here:
        return f"was made from {read}, which is not what stood before it"
    return None


def _break_problems(access: StateAccess, ref: str, tip: str) -> Iterator[NylError]:
    """Breaks of leases are recorded once, also by commits that change no file."""
    told: dict[str, str] = {}
    for entry in reversed(list(transitions(access, tip))):
        for broken in _breaks(entry.record):
            first = told.setdefault(broken, entry.commit)
            if first != entry.commit:
                yield _error(access, ref, entry.commit, f"tells of a break at {broken}, of which {first} told before")


def _breaks(record: TransitionRecord) -> Iterator[str]:
    last = record.summary.get("leaseBroken")
    earlier = last.get("earlier") if isinstance(last, dict) else None
    for each in (last, *(earlier if isinstance(earlier, list) else ())):
        if isinstance(each, dict) and each.get("at"):
            yield f"{each['at']} by {each.get('by')}"


def _touching(access: StateAccess, tip: str) -> Iterator[tuple[str, TransitionRecord]]:
    paths = [f":(top,literal){each}" for each in access.paths.owned]
    log = access.repository.checked("log", "-z", "--first-parent", "--reverse", "--format=%H%x00%B", tip, "--", *paths)
    parts = log.decode(errors="replace").split("\0")
    for commit, message in zip(parts[::2], parts[1::2], strict=False):
        yield commit, parse_transition(message)


def _error(access: StateAccess, ref: str, commit: str, why: str) -> NylError:
    return NylError(
        Code.STATE_CORRUPT,
        f"Commit {commit} of {ref} {why}.",
        f"look at it with `git show {commit}`; what it says is used as it is",
        environment=access.refs.environment,
        location=Location(ref),
    )
