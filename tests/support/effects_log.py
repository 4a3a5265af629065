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
    """That an operator or a change of source asks for work on a unit, from this line on."""

    work: str
    unit: str
    at: int


@dataclass
class EffectsLog:
    """The whole log. `refs` holds, for every time the harness looked, the refs of the state and the line."""

    effects: list[Effect] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    breaks: list[str] = field(default_factory=list)
    """Reasons of `nyl lease break` that ended well."""
    looks: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    lost: set[int] = field(default_factory=set)
    """Processes that were killed, or that lost their lease."""
    end: int = 0


def read_log(path: Path, environment: str = "dev") -> EffectsLog:
    """What the log says of one environment."""
    log, by_token, look = EffectsLog(), dict[str, Effect](), dict[str, str]()
    for line, text in enumerate(path.read_text().splitlines() if path.exists() else []):
        words = text.split(" ")
        if words[0] == "begin" and words[2] == environment:
            effect = Effect(words[1], words[2], words[3], words[4], int(words[5]), line)
            by_token[effect.token] = effect
            log.effects.append(effect)
        elif words[0] == "done" and words[2] == environment:
            by_token[words[4]].done = line
        elif words[0] == "refused" and words[2] == environment:
            by_token[words[4]].refused = line
        elif words[0] == "told" and words[2] == environment:
            log.told.append(Told(words[1], words[3], line))
        elif words[0] == "broke":
            log.breaks.append(" ".join(words[1:]))
        elif words[0] == "lost":
            log.lost.add(int(words[1]))
        elif words[0] == "ref":
            look[words[1]] = words[2]
        elif words[0] == "noted":
            log.looks.append((line, look))
            look = {}
        log.end = line + 1
    return log
