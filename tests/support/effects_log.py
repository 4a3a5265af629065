"""Reading the log of real effects, in the order in which everything happened."""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Effect:
    """One execution or teardown that really began. The places are line numbers of the log."""

    work: str
    environment: str
    unit: str
    token: str
    pid: int
    """The nyl that asked for it."""
    began: int
    done: int | None = None
    refused: int | None = None


@dataclass(frozen=True)
class Told:
    """That an operator or a change of source asks for work on a unit, from this line on.

    Where only one call is to do it, `pid` is its process.
    """

    work: str
    unit: str
    at: int
    pid: int | None = None


@dataclass
class EffectsLog:
    """The whole log. `refs` holds, for every time the harness looked, the refs of the state and the line."""

    effects: list[Effect] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    breaks: list[str] = field(default_factory=list)
    """Reasons of `nyl lease break` that ended well."""
    looks: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    killed: set[int] = field(default_factory=set)
    """Processes that were killed."""
    lost: set[int] = field(default_factory=set)
    """Processes that lost their lease while they lived."""
    exits: list[tuple[int, int]] = field(default_factory=list)
    """When processes and all their tools had ended, as far as the harness waited for that: line and process."""
    started: dict[int, int] = field(default_factory=dict)
    """When processes started, as far as the harness noted it."""
    breaking: dict[str, tuple[int, int | None]] = field(default_factory=dict)
    """When calls of `nyl lease break` began and ended, by a name."""
    end: int = 0

    def overtaken(self, effect: Effect) -> bool:
        """Whether the effect may have begun when the lease of its process was broken already."""
        since = self.started.get(effect.pid, 0)
        breaks = ((begun, self.end if ended is None else ended) for begun, ended in self.breaking.values())
        return effect.pid in self.lost and any(begun < effect.began and ended > since for begun, ended in breaks)


def read_log(path: Path, environment: str = "dev") -> EffectsLog:
    """What the log says of one environment."""
    log = EffectsLog()
    by_token: dict[str, Effect] = {}
    look: dict[str, str] = {}
    lines = path.read_text().splitlines() if path.exists() else []
    log.end = len(lines)
    for line, text in enumerate(lines):
        match text.split(" "):
            case ["begin", work, where, unit, token, pid] if where == environment:
                by_token[token] = Effect(work, where, unit, token, int(pid), line)
                log.effects.append(by_token[token])
            case ["done", _, where, _, token, _] if where == environment:
                by_token[token].done = line
            case ["refused", _, where, _, token, _] if where == environment:
                by_token[token].refused = line
            case ["told", work, where, unit] if where == environment:
                log.told.append(Told(work, unit, line))
            case ["told", work, where, unit, pid] if where == environment:
                log.told.append(Told(work, unit, line, int(pid)))
            case ["ref", name, commit]:
                look[name] = commit
            case ["noted"]:
                log.looks.append((line, look))
                look = {}
            case words:
                _note(log, line, words)
    return log


def _note(log: EffectsLog, line: int, words: list[str]) -> None:
    match words:
        case ["broke", *reason]:
            log.breaks.append(" ".join(reason))
        case ["killed", pid]:
            log.killed.add(int(pid))
        case ["reaper", pid]:  # what a tool takes for its nyl when that was killed before the tool looked
            log.killed.add(int(pid))
        case ["lost", pid]:
            log.lost.add(int(pid))
        case ["exited", pid]:
            log.exits.append((line, int(pid)))
        case ["started", pid]:
            log.started[int(pid)] = line
        case ["breaking", name]:
            log.breaking[name] = (line, None)
        case ["ended", name] if name in log.breaking:
            log.breaking[name] = (log.breaking[name][0], line)
