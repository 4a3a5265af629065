"""What a Release may declare as its inputs."""

from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.kubernetes.inputs.declarations import InvalidDeclarations, declare
from nyl.kubernetes.resources import InputDeclaration
from nyl.project.schema_problems import Subject


def problems_of(raw: Any) -> list[str]:
    with pytest.raises(InvalidDeclarations) as caught:
        declare(raw)
    return [f"{each.pointer} {each.sentence}" for each in caught.value.problems]


def test_declarations_are_read() -> None:
    raw = {
        "image": {"type": "string", "description": "Immutable image reference"},
        "replicas": {"type": "integer", "default": 2},
        "tier": {"type": "string", "enum": ["small", "large"], "default": "small"},
        "database": {"type": "object"},
    }
    assert declare(raw) == {
        "image": InputDeclaration("image", "string", "Immutable image reference"),
        "replicas": InputDeclaration("replicas", "integer", has_default=True, default=2),
        "tier": InputDeclaration("tier", "string", has_default=True, default="small", enum=("small", "large")),
        "database": InputDeclaration("database", "object"),
    }


@pytest.mark.parametrize("raw", [None, {}])
def test_a_release_without_inputs_declares_none(raw: Any) -> None:
    assert declare(raw) == {}


@pytest.mark.parametrize("name", ["a", "aB9", "image"])
def test_names_of_inputs(name: str) -> None:
    assert name in declare({name: {"type": "string"}})


@pytest.mark.parametrize("name", ["", "A", "9a", "a-b", "a_b", "a.b", "ä", "a\n", "image "])
def test_other_names_are_refused(name: str) -> None:
    assert "^[a-z][a-zA-Z0-9]*$" in problems_of({name: {"type": "string"}})[0]


@pytest.mark.parametrize(
    ("type_name", "fitting", "others"),
    [
        ("string", ["", "x", "2"], [1, True, None, [], {}]),
        ("integer", [0, -3, 2**70], [2.0, 1.5, True, "1", None]),
        ("number", [0, 2.0, -1.5, 2**70], [True, "1", None, float("nan"), float("inf"), []]),
        ("boolean", [True, False], [0, 1, "true", None]),
        ("object", [{}, {"a": None}], [[], "x", None, 1]),
        ("array", [[], [None]], [{}, "x", None, 1]),
    ],
)
def test_a_default_satisfies_its_type(type_name: str, fitting: list[Any], others: list[Any]) -> None:
    for value in fitting:
        assert declare({"a": {"type": type_name, "default": value}})["a"].default == value
    for value in others:
        assert problems_of({"a": {"type": type_name, "default": value}})[0].startswith(
            "/spec/inputs/a/default must be "
        )


@pytest.mark.parametrize(
    ("declaration", "problem"),
    [
        ({}, "/spec/inputs/a lacks the required field type."),
        ("string", '/spec/inputs/a must be a mapping, not "string".'),
        (None, "/spec/inputs/a must be a mapping, not null."),
        (
            {"type": "str"},
            '/spec/inputs/a/type must be one of string, integer, number, boolean, object, array, not "str".',
        ),
        (
            {"type": ["string"]},
            "/spec/inputs/a/type must be one of string, integer, number, boolean, object, array, not an array.",
        ),
        ({"type": "string", "enum": []}, "/spec/inputs/a/enum must be a list with at least one value."),
        ({"type": "string", "enum": "x"}, "/spec/inputs/a/enum must be a list with at least one value."),
        ({"type": "string", "enum": None}, "/spec/inputs/a/enum must be a list with at least one value."),
        ({"type": "string", "enum": ["x", 1]}, "/spec/inputs/a/enum/1 must be a string, not 1."),
        ({"type": "integer", "enum": [1, 2.0]}, "/spec/inputs/a/enum/1 must be an integer, not 2.0."),
        (
            {"type": "object", "enum": [{}]},
            "/spec/inputs/a/enum lists values of the type object; enum is for scalar types.",
        ),
        (
            {"type": "array", "enum": [[]]},
            "/spec/inputs/a/enum lists values of the type array; enum is for scalar types.",
        ),
        ({"type": "string", "enum": ["x"], "default": "y"}, '/spec/inputs/a/default must be one of "x", not "y".'),
        (
            {"type": "boolean", "enum": [True], "default": False},
            "/spec/inputs/a/default must be one of true, not false.",
        ),
        ({"type": "string", "required": True}, "/spec/inputs/a/required is no field of an input."),
        ({"type": "string", "description": 1}, "/spec/inputs/a/description must be a string, not 1."),
    ],
)
def test_a_declaration_that_is_not_valid(declaration: Any, problem: str) -> None:
    assert problems_of({"a": declaration}) == [problem]


def test_declarations_that_are_no_mapping() -> None:
    assert problems_of([{"name": "image"}]) == ["/spec/inputs must be a mapping, not an array."]


def test_all_problems_are_told_together_with_their_lines() -> None:
    with pytest.raises(InvalidDeclarations) as caught:
        declare({"a": {"type": "x"}, "B": {"type": "string"}})
    errors = caught.value.errors(Subject("Release web", "web.yaml", lambda pointer: len(pointer)))
    assert [(each.diagnostic.code, str(each.diagnostic.location)) for each in errors] == [
        (Code.RELEASE_INPUTS, "web.yaml:19"),
        (Code.RELEASE_INPUTS, "web.yaml:14"),
    ]
    assert errors[1].diagnostic.message.startswith("web.yaml:14: Release web: /spec/inputs/B is no name of an input")
