"""The inputs that a Release declares, checked before anything is rendered.

Follows the section Declaring inputs of the page Release Inputs.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.core.pointers import join
from nyl.core.suggestions import did_you_mean
from nyl.kubernetes.inputs.typing import SCALARS, TYPES, has_type, mismatch, shown
from nyl.kubernetes.resources import InputDeclaration
from nyl.project.schema_problems import Subject, resource_error

ROOT = "/spec/inputs"
"""Where the declarations stand in a Release."""

_NAME = re.compile(r"[a-z][a-zA-Z0-9]*")
_FIELDS = ("type", "description", "default", "enum")


@dataclass(frozen=True)
class DeclarationProblem:
    """What is wrong with a declaration: a JSON pointer from the Release's root, a clause that follows it, and a fix."""

    pointer: str
    sentence: str
    fix: str


class InvalidDeclarations(ValueError):
    """Everything that is wrong with the declarations of one Release."""

    def __init__(self, problems: tuple[DeclarationProblem, ...]) -> None:
        super().__init__("; ".join(f"{each.pointer} {each.sentence}" for each in problems))
        self.problems = problems

    def errors(self, subject: Subject) -> list[NylError]:
        """One NYL-RELEASE-INPUTS for each problem; `subject` is the Release."""
        return [
            resource_error(subject, each.pointer, each.sentence, each.fix, Code.RELEASE_INPUTS)
            for each in self.problems
        ]


def declare(raw: Any) -> dict[str, InputDeclaration]:
    """The declarations that the literal `spec.inputs` of a Release makes; None, where it has none, makes none.

    Raises InvalidDeclarations with all problems together.
    """
    if raw is None:
        return {}
    if not isinstance(raw, Mapping):
        fix = "write a mapping from the name of each input to its type"
        raise InvalidDeclarations((DeclarationProblem(ROOT, f"must be a mapping, not {shown(raw)}.", fix),))
    problems: list[DeclarationProblem] = []
    found: dict[str, InputDeclaration] = {}
    for name, value in raw.items():
        wrong = list(_problems(str(name), value))
        problems.extend(wrong)
        if not wrong:
            found[name] = _declaration(name, value)
    if problems:
        raise InvalidDeclarations(tuple(problems))
    return found


def _declaration(name: str, value: Mapping[str, Any]) -> InputDeclaration:
    enum = value.get("enum")
    return InputDeclaration(
        name,
        value["type"],
        value.get("description", ""),
        "default" in value,
        value.get("default"),
        tuple(enum) if enum is not None else None,
    )


def _problems(name: str, value: Any) -> Iterator[DeclarationProblem]:
    pointer = join(ROOT, name)
    if not _NAME.fullmatch(name):
        fix = "begin the name with a small letter, and use letters and digits alone"
        yield DeclarationProblem(pointer, "is no name of an input: names match ^[a-z][a-zA-Z0-9]*$.", fix)
    if not isinstance(value, Mapping):
        fix = "write a mapping such as `{type: string}`"
        yield DeclarationProblem(pointer, f"must be a mapping, not {shown(value)}.", fix)
        return
    yield from _field_problems(pointer, value)
    type_name = value.get("type")
    if not isinstance(type_name, str) or type_name not in TYPES:
        yield _type_problem(pointer, value)
        return
    wrong = list(_enum_problems(pointer, type_name, value["enum"])) if "enum" in value else []
    yield from wrong
    if "default" in value and not wrong:
        yield from _default_problems(pointer, _declaration(name, value))


def _field_problems(pointer: str, value: Mapping[str, Any]) -> Iterator[DeclarationProblem]:
    for field in value:
        if field not in _FIELDS:
            fix = did_you_mean(str(field), _FIELDS, f"remove it; an input has {', '.join(_FIELDS)}")
            yield DeclarationProblem(join(pointer, field), "is no field of an input.", fix)
    description = value.get("description", "")
    if not isinstance(description, str):
        fix = "write the description in quotes"
        yield DeclarationProblem(join(pointer, "description"), f"must be a string, not {shown(description)}.", fix)


def _type_problem(pointer: str, value: Mapping[str, Any]) -> DeclarationProblem:
    known = ", ".join(TYPES)
    if "type" not in value:
        return DeclarationProblem(pointer, "lacks the required field type.", f"add `type:` with one of {known}")
    named = value["type"]
    fix = did_you_mean(str(named), TYPES, f"choose from: {known}")
    return DeclarationProblem(join(pointer, "type"), f"must be one of {known}, not {shown(named)}.", fix)


def _enum_problems(pointer: str, type_name: str, enum: Any) -> Iterator[DeclarationProblem]:
    place = join(pointer, "enum")
    if type_name not in SCALARS:
        fix = "remove enum, and check the value where it is used"
        yield DeclarationProblem(place, f"lists values of the type {type_name}; enum is for scalar types.", fix)
    elif not isinstance(enum, list | tuple) or not enum:
        yield DeclarationProblem(
            place, "must be a list with at least one value.", "list the allowed values, or remove enum"
        )
    else:
        for index, each in enumerate(enum):
            if not has_type(each, type_name):
                sentence = f"must be {TYPES[type_name]}, not {shown(each)}."
                yield DeclarationProblem(join(place, index), sentence, "correct the value, or the type of the input")


def _default_problems(pointer: str, declaration: InputDeclaration) -> Iterator[DeclarationProblem]:
    reason = mismatch(declaration, declaration.default)
    if reason is not None:
        fix = "correct the default, or remove it to make the input required"
        yield DeclarationProblem(join(pointer, "default"), f"{reason}.", fix)
