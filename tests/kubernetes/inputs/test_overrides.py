"""Inputs that a direct command is given, and where its bindings come from."""

import shlex
from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.kubernetes.inputs.overrides import binding_group, check_overrides, read_overrides, unbound_inputs
from nyl.kubernetes.inputs.reading import InputSource
from nyl.kubernetes.inputs.resolution import EffectiveInput, resolve_release
from tests.kubernetes.inputs.builders import WEB, HeldSources, context, release, target

WITH_DEFAULTS = {"image": {"type": "string"}, "replicas": {"type": "integer", "default": 2}}


def messages(caught: pytest.ExceptionInfo[NylError]) -> str:
    return "\n".join(each.message for each in caught.value.diagnostics)


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ('image="registry.example.com/api@sha256:4f0c"', "registry.example.com/api@sha256:4f0c"),
        ("image=2", 2),
        ('image={"a": [1, null]}', {"a": [1, None]}),
        ('image="a=b"', "a=b"),
        ("image=123456789012345678901234567890", 123456789012345678901234567890),
    ],
)
def test_a_flag_takes_json(flag: str, value: Any) -> None:
    assert read_overrides([flag]) == {"image": value}


@pytest.mark.parametrize("flag", ["image=text", "image=", "image", "=1", "image=NaN", 'image={"a": 1, "a": 2}'])
def test_a_flag_that_is_no_json(flag: str) -> None:
    with pytest.raises(NylError) as caught:
        read_overrides([flag])
    assert caught.value.diagnostic.code is Code.INPUT_BINDING
    assert "--input" in caught.value.diagnostic.message


def test_a_text_that_is_no_json_comes_back_quoted() -> None:
    with pytest.raises(NylError) as caught:
        read_overrides(["image=it's:1"])
    found = caught.value.diagnostic
    assert found.message == "The value of --input image is not valid JSON: Expecting value."
    pasted = shlex.split(found.fix)[-1]
    assert read_overrides([pasted]) == {"image": "it's:1"}


def test_all_flags_that_are_no_json_are_told_together() -> None:
    with pytest.raises(NylError) as caught:
        read_overrides(["a=x", "b=1", "c=y"])
    assert len(caught.value.diagnostics) == 2


@pytest.mark.parametrize(
    ("file", "data"), [("i.yaml", b"image: a\nreplicas: 3\n"), ("i.json", b'{"image": "a", "replicas": 3}')]
)
def test_flags_win_over_the_file(file: str, data: bytes) -> None:
    assert read_overrides(["replicas=4"], data, file) == {"image": "a", "replicas": 4}


@pytest.mark.parametrize("data", [b"- a\n", b"", b"text"])
def test_a_file_that_holds_no_object(data: bytes) -> None:
    with pytest.raises(NylError, match="must hold an object"):
        read_overrides([], data, "i.yaml")


def test_overrides_name_declared_inputs_and_are_checked() -> None:
    with pytest.raises(NylError) as caught:
        check_overrides(release(WITH_DEFAULTS), {"imag": "x", "replicas": "3"})
    assert {each.code for each in caught.value.diagnostics} == {Code.INPUT_BINDING, Code.INPUT_INVALID}
    assert "imag, which web does not declare" in messages(caught)
    assert {str(each.location) for each in caught.value.diagnostics} == {"applications/web.yaml:1"}
    assert 'replicas must be an integer, not "3"' in messages(caught)
    check_overrides(release(WITH_DEFAULTS), {"image": "x", "replicas": 3})


def test_without_a_target_only_defaults_and_overrides_apply() -> None:
    assert unbound_inputs(release(WITH_DEFAULTS), {"image": "x"}) == {
        "image": EffectiveInput("x", InputSource.OVERRIDE),
        "replicas": EffectiveInput(2, InputSource.DEFAULT),
    }


def test_without_a_target_required_inputs_are_missed_with_their_descriptions() -> None:
    declared = {"image": {"type": "string", "description": "Image reference"}, "other": {"type": "object"}}
    with pytest.raises(NylError) as caught:
        unbound_inputs(release(declared), {})
    assert [each.code for each in caught.value.diagnostics] == [Code.INPUT_MISSING] * 2
    assert "image (Image reference) of web has no default" in messages(caught)
    assert "with `--target` and without `--defaults-only`" in (caught.value.diagnostics[0].fix or "")


def test_with_a_target_overrides_go_before_bindings_before_defaults() -> None:
    declared = {name: {"type": "integer", "default": 1} for name in ("a", "b", "c")}
    bound = context({"platform/web": {"a": {"value": 2}, "b": {"value": 2}}, "platform/other": {"x": {"value": 1}}})
    found = resolve_release(bound, WEB, release(declared), {"a": 3}, HeldSources())
    assert found.values(WEB) == {"a": 3, "b": 2, "c": 1}


def test_what_is_overridden_need_not_resolve() -> None:
    bound = context({"platform/web": {"image": {"fromFile": {"path": "gone.yaml"}}}})
    found = resolve_release(bound, WEB, release(WITH_DEFAULTS), {"image": "x"}, HeldSources())
    assert found.values(WEB) == {"image": "x", "replicas": 2}


def test_the_group_whose_source_contains_the_file_gives_the_bindings() -> None:
    assert binding_group(target({}), ["a", "b"], ["b"], "x.yaml") == "b"


@pytest.mark.parametrize("containing", [[], ["a", "b"]])
def test_a_file_in_no_group_or_several_needs_a_choice(containing: list[str]) -> None:
    with pytest.raises(NylError) as caught:
        binding_group(target({}), ["b", "a"], containing, "x.yaml")
    found = caught.value.diagnostic
    assert "DeploymentTarget staging are a, b, and x.yaml lies in" in found.message
    assert "--application-group" in found.fix
    assert "--defaults-only" in found.fix
    assert str(found.location) == "targets/staging.yaml:4"
    assert binding_group(target({}), ["b", "a"], containing, "x.yaml", chosen="a") == "a"


def test_a_chosen_group_is_one_of_the_targets() -> None:
    with pytest.raises(NylError) as caught:
        binding_group(target({}), ["platform"], ["platform"], "x.yaml", chosen="platfrom")
    assert "did you mean platform" in caught.value.diagnostic.fix
