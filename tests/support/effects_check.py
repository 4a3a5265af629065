"""What must hold of every history, whatever happened: the log of real effects and the state, side by side.

Knows nothing of nyl's code. Each rule is a function that gives a sentence for everything that is wrong.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.support.effects_history import History, StateCommit, StateReader
from tests.support.effects_log import Effect, EffectsLog, read_log

_OUTCOME_UNKNOWN = frozenset({"uncertain", "recovered"})
_TORN_DOWN = frozenset({"removed", "tearing-down", "released", "retained", "held"})


def problems(log_file: Path, repository: Path, environment: str = "dev", *, at_rest: bool = True) -> list[str]:
    """Everything that is wrong. `at_rest`: nothing runs, and the last run ended well, so that no ref may be left."""
    log, history = read_log(log_file, environment), StateReader(repository).history(environment)
    found = [
        *unrecorded_effects(log, history),
        *repeated_effects(log, history),
        *receipts_without_effect(log, history),
        *broken_leases(log, history),
        *changed_while_held(history),
        *lost_incarnations(log, history, repository),
        *bad_chain(history),
        *overlapping_effects(log),
        *untold_changes(history),
    ]
    return found + (list(refs_left(history)) if at_rest else [])


def unrecorded_effects(log: EffectsLog, history: History) -> Iterator[str]:
    """Every effect is in a receipt, or its unit was called uncertain (or removed, or failed) after it began."""
    for effect in log.effects:
        later = _commits_after(log, history, effect.began)
        if not log.overtaken(effect) and not any(_records(commit, effect) for commit in later):
            yield f"{_named(effect)} is neither recorded nor uncertain in any of {len(later)} later commits"


def repeated_effects(log: EffectsLog, history: History) -> Iterator[str]:
    """No unit is worked on twice unless that is harmless or was asked for."""
    previous: dict[tuple[str, str], Effect] = {}
    for effect in log.effects:
        before = previous.get((effect.work, effect.unit))
        previous[effect.work, effect.unit] = effect
        if before is None or log.overtaken(before) or log.overtaken(effect):
            continue
        if _asked_for(log, effect, before.began):
            continue
        policy = _policy(history, effect)
        harmless = policy == "converge" or (policy == "inspect" and before.done is None)
        if not harmless:
            yield f"{_named(effect)} ran again after {before.token}, although its policy is {policy}"
        elif before.done is not None and _settled_between(log, history, before, effect):
            yield f"{_named(effect)} ran again after {before.token}, although that was recorded already"


def receipts_without_effect(log: EffectsLog, history: History) -> Iterator[str]:
    """Every receipt stands for one effect of its unit that was completed."""
    done = {each.token: each for each in log.effects if each.done is not None and each.work == "execution"}
    for commit in history.observed:
        for unit, document in commit.units.items():
            receipt = document.get("receipt")
            effect = done.get(receipt["outputs"].get("effect")) if receipt else None
            if receipt and (effect is None or effect.unit != unit):
                yield f"{commit.commit} has a receipt of {unit} that no effect stands behind: {receipt['outputs']}"


def broken_leases(log: EffectsLog, history: History) -> Iterator[str]:
    """Every break that was acknowledged is recorded once, in the commits of one transition, and none twice."""
    transitions = {each.trailers.get("Nyl-Run-Id", each.commit): each for each in (*history.desired, *history.observed)}
    recorded: list[str] = []
    for commit in transitions.values():
        told = commit.summary.get("leaseBroken")
        if isinstance(told, dict):
            recorded += [told["reason"], *(each["reason"] for each in told.get("earlier") or [])]
    for reason in log.breaks:
        if recorded.count(reason) == 0:
            yield f"the break `{reason}` is not recorded"
    for reason in set(recorded):
        if recorded.count(reason) > 1:
            yield f"the break `{reason}` is recorded {recorded.count(reason)} times"


def changed_while_held(history: History) -> Iterator[str]:
    """What a held unit is wanted to be stays as it was, but for what the hold itself notes."""
    for before, after in pairwise(history.desired):
        for unit, document in after.units.items():
            was = before.units.get(unit)
            if was and _held(was) and _held(document) and _without_lifecycle(was) != _without_lifecycle(document):
                parts = [each for each in document if document[each] != was.get(each) and each != "lifecycle"]
                yield f"{after.commit} changes {', '.join(parts)} of {unit}, which is held"


def lost_incarnations(log: EffectsLog, history: History, repository: Path) -> Iterator[str]:
    """A unit that a run created keeps the uid that its start record gave it."""
    reader, seen = StateReader(repository), set[tuple[str, str]]()
    for _, look in log.looks:
        for name, commit in look.items():
            if f"/nyl/{_environment(name)}/runs/" not in name:
                continue
            for unit, uid in _started(reader, commit):
                if (unit, uid) in seen:
                    continue
                seen.add((unit, uid))
                uids = {_uid(each.units.get(unit)) for each in history.desired}
                if uid not in uids and _goes_on(history, unit):
                    yield f"unit {unit} was started as {uid} on {name}, and state only knows {sorted(map(str, uids))}"


def bad_chain(history: History) -> Iterator[str]:
    """Each commit is made from what stood before it, and its message can be read back."""
    for commits, trailer in ((history.desired, "Nyl-Read-Desired"), (history.observed, "Nyl-Read-Observed")):
        for before, commit in pairwise(commits):
            if commit.trailers.get(trailer, before.commit) != before.commit:
                yield f"{commit.commit} was made from {commit.trailers[trailer]}, and {before.commit} stood before it"
            if "Nyl-Operation" not in commit.trailers:
                yield f"{commit.commit} has no trailers"


def overlapping_effects(log: EffectsLog) -> Iterator[str]:
    """One process at a time works on an environment, unless one of them lost its lease or was killed."""
    for effect in log.effects:
        for other in log.effects:
            apart = other.pid == effect.pid or {other.pid, effect.pid} & (log.lost | log.killed)
            if not apart and effect.began < other.began < _ended(effect, log):
                yield f"{_named(other)} by process {other.pid} began while {effect.pid} worked: {_named(effect)}"


def untold_changes(history: History) -> Iterator[str]:
    """The messages of all commits, played one after the other, give the state: they tell of every change."""
    keys: dict[str, str] = {}
    for before, commit in pairwise(history.observed):
        told = commit.summary.get("units") or {}
        for unit, result in told.items():
            if isinstance(result, dict) and "executionKey" in result:
                keys[unit] = result["executionKey"]
        for unit in before.units.keys() - commit.units.keys():
            if unit not in told:
                yield f"{commit.commit} removes {unit} and does not tell"
            keys.pop(unit, None)
        for unit, document in commit.units.items():
            key = (document.get("receipt") or {}).get("executionKey")
            if key is not None and keys.get(unit) != key:
                yield f"{commit.commit} has a receipt of {unit} with {key}, and its messages tell {keys.get(unit)}"
                keys[unit] = key


def refs_left(history: History) -> Iterator[str]:
    """Nothing is left beside the state, but for evidence that an uncertain unit needs."""
    last = history.observed[-1]
    uncertain = any((each.get("condition") or {}).get("state") == "uncertain" for each in last.units.values())
    for name in history.coordination:
        if not (uncertain and "/evidence/" in name):
            yield f"{name} is left"


def uncertain_units(repository: Path, environment: str = "dev") -> dict[str, str]:
    """Unit -> kind of work, of every unit that has a condition now."""
    last = StateReader(repository).history(environment).observed[-1]
    conditions = {name: each["condition"] for name, each in last.units.items() if each.get("condition")}
    return {name: each.get("work", "execution") for name, each in conditions.items()}


def _commits_after(log: EffectsLog, history: History, line: int) -> list[StateCommit]:
    """The observed commits that were not there yet when the harness last looked before a line."""
    chain = history.observed
    places = {each.commit: index for index, each in enumerate(chain)}
    known = [places[tip] for at, look in log.looks if at < line for tip in look.values() if tip in places]
    return chain[max(known, default=0) + 1 :]


def _records(commit: StateCommit, effect: Effect) -> bool:
    document = commit.units.get(effect.unit)
    result, condition = commit.result(effect.unit), (document or {}).get("condition")
    if condition and condition["state"] == "uncertain":
        return True
    if result in _OUTCOME_UNKNOWN or effect.unit in (commit.summary.get("recovered") or []):
        return True
    if effect.refused is not None:
        return result in {"failed", "executed", "removed", "tearing-down"} or condition is not None
    if effect.work == "teardown":
        return document is None or result in _TORN_DOWN or bool((document or {}).get("teardown"))
    receipt = (document or {}).get("receipt")
    return bool(receipt) and receipt["outputs"].get("effect") == effect.token


def _asked_for(log: EffectsLog, effect: Effect, since: int) -> bool:
    told = any(
        each.unit == effect.unit and (each.pid == effect.pid if each.pid else since < each.at < effect.began)
        for each in log.told
    )
    other = any(
        each.unit == effect.unit and each.work != effect.work and since < each.began < effect.began
        for each in log.effects
    )
    return told or other


def _settled_between(log: EffectsLog, history: History, before: Effect, effect: Effect) -> bool:
    """Whether a commit that the harness saw in between records the effect, and leaves no condition."""
    known = {tip for at, look in log.looks if before.began < at < effect.began for tip in look.values()}
    for commit in history.observed:
        if commit.commit in known:
            document = commit.units.get(effect.unit) or {}
            receipt = document.get("receipt") or {"outputs": {}}
            if receipt["outputs"].get("effect") == before.token and not document.get("condition"):
                return True
    return False


def _policy(history: History, effect: Effect) -> str:
    """The recovery policy that the unit's declaration gives, as the state has it."""
    for commit in reversed(history.desired):
        spec = (commit.units.get(effect.unit) or {}).get("spec")
        if not spec:
            continue
        if effect.work == "teardown":
            return "converge" if (spec.get("teardown") or {}).get("idempotent") else "manual"
        return "converge" if spec.get("idempotent") else "inspect" if spec.get("inspect") else "manual"
    return "manual"


def _started(reader: StateReader, commit: str) -> list[tuple[str, str]]:
    """Units that a run ref says were started, with their uids."""
    files = reader.documents(commit)
    run = next((value for path, value in files.items() if path.startswith("run.")), {})
    executing = set(run.get("executing") or {})
    found = []
    for path, document in files.items():
        name = path.removeprefix("desired/units/").removesuffix(".yaml")
        started = name in executing or any(other.startswith(f"checkpoints/{name}.") for other in files)
        if path.startswith("desired/units/") and started and _uid(document):
            found.append((name, str(_uid(document))))
    return found


def _goes_on(history: History, unit: str) -> bool:
    """Whether the unit is in the state at the end: a removed one may have come and gone in one transition."""
    return unit in history.desired[-1].units


def _held(document: dict[str, Any]) -> bool:
    return bool(document["lifecycle"]["state"] == "held") and bool(_uid(document))


def _without_lifecycle(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != "lifecycle"}


def _uid(document: dict[str, Any] | None) -> str | None:
    return document["unit"].get("uid") if document else None


def _ended(effect: Effect, log: EffectsLog) -> int:
    """The line at which an effect was over: done, refused, or cut short with its process."""
    exits = (line for line, pid in log.exits if pid == effect.pid and line > effect.began)
    ends = (effect.done, effect.refused, next(exits, None))
    return min((each for each in ends if each is not None), default=log.end)


def _environment(ref: str) -> str:
    return ref.split("/")[2]


def _named(effect: Effect) -> str:
    ended = "done" if effect.done is not None else "refused" if effect.refused is not None else "begun"
    return f"{effect.work} {effect.token} of {effect.unit} ({ended})"
