"""Whether a driver keeps secrets to itself: part of the conformance suite.

nyl hides secrets in what tools print and in messages, and stores no output or artifact that has one. It cannot help
where a secret is an argument of a program, which every user of the machine may read, or where it stays in the folder
that units share.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, is_dataclass, replace
from pathlib import Path
from typing import Any

from nyl.core.masking import Masker
from nyl.units.context import private_folder
from nyl.units.driver import Driver, ReceiptFacts, ResolvedUnit
from nyl.units.execution import execute
from nyl.units.mishaps import TrialContext
from nyl.units.outcomes import Succeeded
from nyl.units.trial_steps import TrialStep, trial_steps
from nyl.units.trials import Trial


def leaks(driver: Driver, unit: ResolvedUnit, trial: Trial) -> list[str]:
    """Where the secrets that a unit is admitted turn up, and the values of its sensitive outputs."""
    with trial.copied() as place, private_folder() as shared:
        outcome, _ = place.run(lambda context: execute(driver, unit, context))
        if not isinstance(outcome, Succeeded):
            return [f"gives {outcome!r} where it should succeed"]
        place = replace(place, shared=shared)
        problems: list[str] = []
        for step in trial_steps(driver, unit, ReceiptFacts(outcome.outputs, outcome.artifacts)):
            problems += _leaks_of(unit, place, step)
        secrets = Masker(trial.secrets.values())
        problems += [f"leaves a secret in context.cache: {each}" for each in _files_with(secrets, shared)]
    return problems


def _leaks_of(unit: ResolvedUnit, place: Trial, step: TrialStep) -> list[str]:
    contexts: list[TrialContext] = []

    def ask(context: TrialContext) -> object:
        contexts.append(context)
        return step.ask(context)

    answer, problems = place.run(ask)
    context = contexts[0]
    if isinstance(answer, Succeeded):
        sensitive = {name: each for name, each in answer.outputs.items() if _is_sensitive(unit, name)}
        context.masker.add_value(list(sensitive.values()))
        answer = replace(answer, outputs={name: answer.outputs[name] for name in answer.outputs.keys() - sensitive})
    masker = context.masker
    programs = [each[0] for each in context.started if masker.reveals(list(each))]
    problems += [f"gives {each} a secret as an argument" for each in dict.fromkeys(programs)]
    if any(masker.reveals(line) for line in context.shown):
        problems.append("shows a secret that nyl did not know yet when it was printed")
    problems += [f"gives a secret in {name}" for name in _fields_with(masker, answer)]
    return [f"{each} (during {step.name})" for each in problems]


def _is_sensitive(unit: ResolvedUnit, name: str) -> bool:
    return name in unit.outputs and unit.outputs[name].sensitive


def _fields_with(masker: Masker, answer: object) -> Iterator[str]:
    """The fields of an outcome that have a secret."""
    if is_dataclass(answer) and not isinstance(answer, type):
        fields: dict[str, Any] = asdict(answer)
        yield from (name for name, value in fields.items() if masker.reveals(value))


def _files_with(masker: Masker, folder: Path) -> Iterator[Path]:
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        with suppress(OSError):
            if masker.reveals(path.read_bytes().decode("utf-8", "replace")):
                yield path.relative_to(folder)
