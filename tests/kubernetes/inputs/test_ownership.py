"""The four ways in which the ownership of a carried path moves, and what stays as it is."""

from typing import Any

from nyl.kubernetes.inputs.ownership import StateOwnership, kept_paths, state_ownership
from tests.kubernetes.inputs.builders import target

PATH = "state/images.json"
CARRYING = {"fromPublication": {"path": PATH, "carryFileFromWorktree": "build/images.json"}}
READING = {"fromPublication": {"path": PATH}}
NOTHING = StateOwnership(frozenset(), frozenset())


def moved(binding: dict[str, Any] | None, *, before: bool, now: bool) -> StateOwnership:
    bound = target({"platform/web": {"image": binding}} if binding else {})
    owned_before, owned_now = ({PATH, "a.yaml"} if each else {"a.yaml"} for each in (before, now))
    return state_ownership(bound, owned_before, owned_now, [PATH] if now else [])


def test_a_file_that_another_tool_committed_there_is_adopted() -> None:
    assert moved(CARRYING, before=False, now=True) == StateOwnership(frozenset({PATH}), frozenset())


def test_a_file_that_was_carried_before_stays_owned() -> None:
    assert moved(CARRYING, before=True, now=True) == NOTHING


def test_without_the_carry_file_option_the_file_stays_and_is_released() -> None:
    assert moved(READING, before=True, now=False) == StateOwnership(frozenset(), frozenset({PATH}))


def test_a_file_that_was_never_owned_is_left_alone() -> None:
    assert moved(READING, before=False, now=False) == NOTHING


def test_without_the_binding_the_file_is_neither_kept_nor_released() -> None:
    assert moved(None, before=True, now=False) == NOTHING


def test_a_disabled_group_keeps_what_its_bindings_carry() -> None:
    bound = target({"platform/web": {"image": CARRYING, "tier": READING}, "other/web": {"image": CARRYING}})
    assert kept_paths(bound, {"platform"}) == {PATH}
    assert kept_paths(bound, ()) == frozenset()
    assert kept_paths(target({"platform/web": {"tier": READING}}), {"platform"}) == frozenset()
