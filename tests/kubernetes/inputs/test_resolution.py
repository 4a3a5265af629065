"""Inputs of a target: bindings over defaults, every one resolved and checked before anything is rendered."""

import pytest

from nyl.core.diagnostics import NylError
from tests.kubernetes.inputs.builders import HeldSources, HeldState, values

OBJECT = {"database": {"type": "object"}}


def test_a_binding_goes_before_the_default_and_replaces_the_value_whole() -> None:
    declared = {"a": {"type": "object", "default": {"x": 1}}, "b": {"type": "integer", "default": 2}}
    assert values(declared, {"a": {"value": {"y": 2}}}) == {"a": {"y": 2}, "b": 2}


def test_a_release_without_inputs_has_none() -> None:
    from tests.kubernetes.inputs.builders import WEB, context, release, resolve_inputs

    assert resolve_inputs(context({}), {WEB: release({})}, (), HeldSources()).values(WEB) is None


def test_an_inline_literal_is_never_templated() -> None:
    assert values({"a": {"type": "string"}}, {"a": {"value": "{{ values.x }}"}}) == {"a": "{{ values.x }}"}


@pytest.mark.parametrize(("pointer", "value"), [("", {"database": {"host": "db"}}), ("/database", {"host": "db"})])
def test_a_file_is_read_whole_or_at_a_pointer(pointer: str, value: object) -> None:
    sources = HeldSources({"environments/db.yaml": b"database: {host: db}\n"})
    binding = {"fromFile": {"path": "environments/db.yaml", **({"pointer": pointer} if pointer else {})}}
    assert values(OBJECT, {"database": binding}, sources) == {"database": value}


def test_a_file_of_a_locked_commit_is_read() -> None:
    lock = {"repositoryRef": {"name": "platform-state"}, "revision": "main", "commit": "a" * 40, "path": "s.json"}
    sources = HeldSources(locked={"s.json": b'{"db": {"size": 1}}'})
    assert values(OBJECT, {"database": {"fromGit": {**lock, "pointer": "/db"}}}, sources) == {"database": {"size": 1}}


def test_a_state_file_of_the_publication_is_read() -> None:
    sources = HeldSources(state=HeldState({"state/db.json": b'{"db": {"size": 1}}'}))
    binding = {"fromPublication": {"path": "state/db.json", "pointer": "/db"}}
    assert values(OBJECT, {"database": binding}, sources) == {"database": {"size": 1}}


def test_problems_name_the_binding_and_its_line() -> None:
    with pytest.raises(NylError) as caught:
        values(OBJECT, {"database": {"fromFile": {"path": "gone.yaml"}}})
    [found] = caught.value.diagnostics
    place = "/spec/releaseInputs/platform~1web/database"
    assert found.message == (
        f"targets/staging.yaml:4: DeploymentTarget staging: {place} cannot be had. There is no file gone.yaml."
    )
