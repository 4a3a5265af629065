"""Runs page, Execution keys and receipts: what decides a unit's key, and what does not."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nyl
from nyl.engine.keys import execution_key
from nyl.state.documents import InputFile, InputRecord, SourceRecord
from nyl.units.command import CommandDriver
from tests.engine.builders import COMMAND, KEY, OTHER_KEY, S

SPEC: Mapping[str, Any] = {"command": ["./run.sh", "1"], "values": {"a": 1, "b": {"c": [1, 2]}}}
FILE = InputFile("run.sh", KEY)
SOURCED = InputRecord(sources={"/build/source": SourceRecord(S, "app"), "/idempotent": SourceRecord(S, "")})
INPUTS = InputRecord((FILE,), fingerprint=KEY, variables=("TOKEN",))


def key(spec: Mapping[str, Any] = SPEC, inputs: InputRecord = INPUTS) -> str:
    return execution_key(COMMAND, spec, inputs)


@pytest.mark.parametrize("field", ["enabled", "dependsOn", "approval", "deletionPolicy", "timeout", "idempotent"])
def test_neutral_fields_leave_the_key(field: str) -> None:
    assert key({**SPEC, field: "anything"}) == key()


@pytest.mark.parametrize(
    "spec",
    [
        {**SPEC, "command": ["./run.sh", "2"]},
        {**SPEC, "command": ["1", "./run.sh"]},
        {**SPEC, "values": {"a": "1", "b": {"c": [1, 2]}}},
        {**SPEC, "values": {"a": True, "b": {"c": [1, 2]}}},
        {**SPEC, "values": {"a": 1, "b": {"c": [2, 1]}}},
        {**SPEC, "values": {"a": 1, "b": {"c": [1, 2]}, "d": None}},
        {**SPEC, "outputs": {"host": {"type": "string"}}},
        {**SPEC, "env": {"passthrough": ["HOME"]}},
        {**SPEC, "fingerprint": ["./print.sh"]},
    ],
)
def test_every_other_field_of_the_spec_changes_it(spec: Mapping[str, Any]) -> None:
    assert key(spec) != key()


@pytest.mark.parametrize(
    "inputs",
    [
        replace(INPUTS, files=()),
        replace(INPUTS, files=(replace(FILE, digest=OTHER_KEY),)),
        replace(INPUTS, files=(replace(FILE, path="walk.sh"),)),
        replace(INPUTS, files=(replace(FILE, executable=True),)),
        replace(INPUTS, files=(replace(FILE, source="/source"),)),
        replace(INPUTS, files=(FILE, replace(FILE, path="walk.sh"))),
        replace(INPUTS, fingerprint=OTHER_KEY),
        replace(INPUTS, fingerprint=None),
        replace(INPUTS, variables=()),
        replace(INPUTS, variables=("TOKEN", "USER")),
    ],
)
def test_what_is_read_changes_it(inputs: InputRecord) -> None:
    assert key(inputs=inputs) != key()


def test_the_commits_that_sources_resolved_to_do_not() -> None:
    moved = [replace(INPUTS, sources={"/source": SourceRecord(each, "app")}) for each in (S, "0" * 40)]
    assert key(inputs=moved[0]) == key(inputs=moved[1]) == key()


def test_the_commit_that_a_source_field_pins_does_not() -> None:
    def pinned(commit: str, path: str = "app") -> str:
        source = {"path": path, "revision": "main", "commit": commit}
        return execution_key(COMMAND, {"build": {"source": source, "commit": "data"}}, SOURCED)

    assert pinned(S) == pinned("0" * 40)
    assert pinned(S) != pinned(S, "lib")


def test_a_commit_that_is_no_source_fields_is_data_like_any_other() -> None:
    def told(commit: str) -> str:
        source = {"path": "app", "revision": "main", "commit": S}
        return execution_key(COMMAND, {"build": {"source": source, "commit": commit}}, SOURCED)

    assert told("one") != told("two")


def test_nyls_own_version_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key()
    monkeypatch.setattr(nyl, "__version__", "99.0")
    assert key() == before


@pytest.mark.parametrize(("name", "value"), [("kind", "Other"), ("api_version", "test/v1"), ("behavior_version", 2)])
def test_kind_and_behavior_version_do(name: str, value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = CommandDriver()
    monkeypatch.setattr(driver, name, value)
    assert execution_key(driver, SPEC, INPUTS) != key()


_DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=4), _DATA, max_size=4))
def test_the_order_of_mappings_is_no_part_of_it(values: dict[str, Any]) -> None:
    assert key({"values": values, "command": ["x"]}) == key({"command": ["x"], "values": _backwards(values)})


def _backwards(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _backwards(each) for name, each in reversed(value.items())}
    return [_backwards(each) for each in value] if isinstance(value, list) else value
