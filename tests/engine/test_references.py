"""Runs page, References between units: their form, where they may stand, what they may name."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.references import Reference, check_reference, find_references, is_reference, substitute
from nyl.project.units import OutputDeclaration, UnitAddress
from tests.engine.builders import artifact, output, unit


def found(values: Any, *fields: str) -> tuple[Reference, ...]:
    return find_references(unit("web", values=values), fields or ("/values",))


def refusal(values: Any, *fields: str) -> NylError:
    with pytest.raises(NylError) as caught:
        found(values, *fields)
    assert caught.value.diagnostic.location is not None
    assert caught.value.diagnostic.unit == "web"
    return caught.value


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (output("host", "db"), Reference("/values/x", UnitAddress("db"), output="host")),
        (output("id", "net", "infra"), Reference("/values/x", UnitAddress("net", "infra"), output="id")),
        (
            artifact("plan", "db", "/a/0/b~1c"),
            Reference("/values/x", UnitAddress("db"), artifact="plan", artifact_pointer="/a/0/b~1c"),
        ),
        (artifact("plan", "db"), Reference("/values/x", UnitAddress("db"), artifact="plan")),
        (
            {"fromUnit": {"unit": "db", "output": "host", "evidence": "published"}},
            Reference("/values/x", UnitAddress("db"), output="host"),
        ),
    ],
)
def test_a_reference_names_an_output_or_a_place_in_an_artifact(written: Any, expected: Reference) -> None:
    assert found({"x": written}) == (expected,)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"unit": "db"},
        {"output": "host"},
        {"unit": "db", "output": "host", "artifact": "plan"},
        {"unit": "db", "output": "host", "pointer": "/a"},
        {"unit": "db", "output": 7},
        {"unit": "db", "output": "host", "other": "x"},
        {"unit": "db", "output": "host", "evidence": "rumoured"},
        {"unit": "db", "artifact": "plan", "pointer": "a"},
        {"unit": "db", "artifact": "plan", "pointer": "/a~2"},
        {"unit": "db", "artifact": "plan", "pointer": "/a~"},
        "db",
        None,
        ["db"],
    ],
)
def test_a_malformed_reference_is_refused_with_an_example(body: Any) -> None:
    error = refusal({"x": {"fromUnit": body}}).diagnostic
    assert error.code is Code.REFERENCE_INVALID
    assert "/values/x" in error.message
    assert error.fix


def test_a_reference_stands_for_the_whole_value() -> None:
    assert refusal({"x": {**output("host", "db"), "default": "y"}}).diagnostic.code is Code.REFERENCE_INVALID


@pytest.mark.parametrize("addition", [{"evidence": "attested"}, {"attestations": ["built"]}])
def test_attestations_are_refused_rather_than_ignored(addition: dict[str, Any]) -> None:
    error = refusal({"x": {"fromUnit": {"unit": "db", "output": "host", **addition}}})
    assert error.diagnostic.code is Code.ATTESTATIONS_UNSUPPORTED


def test_references_are_found_at_any_depth_of_a_field_that_takes_them() -> None:
    values = {"a/b": [{"deep": output("x", "db")}, output("y", "db")], "plain": [1, None, "fromUnit"]}
    assert [each.pointer for each in found(values)] == ["/values/a~1b/0/deep", "/values/a~1b/1"]


def test_a_reference_outside_such_a_field_is_refused_naming_the_fields() -> None:
    error = refusal({"x": output("host", "db")}, "/variables", "/value").diagnostic
    assert error.code is Code.REFERENCE_INVALID
    assert error.fix == "use it in: variables, value"


def test_an_output_must_be_declared_and_the_nearest_is_named() -> None:
    (reference,) = found({"x": output("hst", "db")})
    with pytest.raises(NylError, match="declares host, port") as caught:
        check_reference(reference, unit("web"), unit("db", outputs={"host": "string", "port": "integer"}))
    assert caught.value.diagnostic.fix == "did you mean host?"


def test_a_sensitive_output_can_never_be_referenced() -> None:
    (reference,) = found({"x": output("password", "db")})
    producer = unit("db", outputs={"password": OutputDeclaration("string", sensitive=True)})
    with pytest.raises(NylError) as caught:
        check_reference(reference, unit("web"), producer)
    assert caught.value.diagnostic.code is Code.REFERENCE_SENSITIVE


def test_an_artifact_is_not_declared_so_none_is_asked_for() -> None:
    (reference,) = found({"x": artifact("plan", "db", "/a")})
    check_reference(reference, unit("web"), unit("db"))


def test_references_say_what_they_mean() -> None:
    one, two, three = found(
        {"a": output("id", "net", "infra"), "b": artifact("plan", "db", "/x"), "c": artifact("p", "d")}
    )
    assert [str(one), str(two), str(three)] == [
        "output id of infra/net",
        "/x of artifact plan of db",
        "all of artifact p of d",
    ]


_plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
_references = st.text(min_size=1, max_size=3).map(lambda name: output(name, "db"))
_values = st.recursive(
    _plain | _references,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=3), _values, max_size=3), _plain)
def test_every_reference_is_replaced_by_its_value_and_nothing_else_is(values: dict[str, Any], value: Any) -> None:
    spec = unit("web", values=values).spec
    references = find_references(unit("web", values=values), ("/values",))
    resolved = substitute(spec, {each.pointer: value for each in references})
    assert resolved == _replaced(spec, value)


def _replaced(spec: Any, value: Any) -> Any:
    if is_reference(spec):
        return value
    if isinstance(spec, dict):
        return {key: _replaced(each, value) for key, each in spec.items()}
    return [_replaced(each, value) for each in spec] if isinstance(spec, list) else spec


def test_a_value_that_looks_like_a_reference_is_data() -> None:
    tricky = output("host", "elsewhere")
    assert substitute({"x": output("a", "db")}, {"/x": tricky}) == {"x": tricky}
