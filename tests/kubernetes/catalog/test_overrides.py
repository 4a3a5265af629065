from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.kubernetes.catalog.applications import application
from nyl.kubernetes.catalog.overrides import customized
from nyl.kubernetes.manifests import Manifest
from nyl.kubernetes.resources import ReleaseCustomization
from tests.support.catalog import context, group, release

_AT = Location("apps/web.yaml", 9)


def _customized(override: dict[str, Any], allowed: str = "**", denied: str = "", options: str = "") -> Manifest:
    rules = ReleaseCustomization(tuple(allowed.split()), tuple(denied.split()), tuple(options.split()))
    changed = group(customization=rules, application_annotations={"a": "b"})
    return customized(application(context(), changed, release(), "web", "web"), override, changed, _AT)


def _refusal(override: dict[str, Any], **rules: str) -> NylError:
    with pytest.raises(NylError) as caught:
        _customized(override, **rules)
    assert {each.code for each in caught.value.diagnostics} == {Code.OVERRIDE_REFUSED}
    return caught.value


def test_mappings_are_merged_and_lists_replaced() -> None:
    override = {"metadata": {"annotations": {"c": "d"}}, "spec": {"info": [{"name": "x"}], "revisionHistoryLimit": 3}}
    found = _customized(override, "metadata.annotations.* spec.info.** spec.revisionHistoryLimit")
    assert found.value["metadata"]["annotations"] == {"a": "b", "c": "d"}
    assert found.value["spec"]["info"] == [{"name": "x"}]
    assert found.value["spec"]["revisionHistoryLimit"] == 3
    assert found.value["spec"]["project"] == "default"
    assert found.provenance[-1] == "customized by apps/web.yaml"


def test_the_application_that_was_given_stays_as_it_was() -> None:
    original = application(context(), group(), release(), "web", "web")
    before = repr(original)
    changed = group(customization=ReleaseCustomization(("**",), (), ("A=1",)))
    customized(original, {"spec": {"info": [], "syncPolicy": {"+syncOptions": ["A=1"]}}}, changed, _AT)
    assert repr(original) == before


def test_no_override_changes_nothing() -> None:
    original = application(context(), group(), release(), "web", "web")
    assert customized(original, {}, group(), _AT) is original


def test_options_are_added_in_the_place_of_those_with_the_same_key() -> None:
    override = {"spec": {"syncPolicy": {"+syncOptions": ["ServerSideApply=false", "Replace=true"]}}}
    found = _customized(override, allowed="", options="ServerSideApply=false Replace=true")
    assert found.value["spec"]["syncPolicy"]["syncOptions"] == [
        "ApplyOutOfSyncOnly=true",
        "ServerSideApply=false",
        "Replace=true",
    ]


def test_the_name_of_an_option_allows_it_with_any_value() -> None:
    override = {"spec": {"syncPolicy": {"+syncOptions": ["Replace=true"]}}}
    found = _customized(override, allowed="", options="Replace").value["spec"]["syncPolicy"]["syncOptions"]
    assert found[-1] == "Replace=true"


@pytest.mark.parametrize(
    "options", [["Replace=true"], ["ServerSideApply=true"], "ServerSideApply=false", [1], None, {"a": "b"}]
)
def test_only_options_that_the_group_names_are_added(options: object) -> None:
    _refusal({"spec": {"syncPolicy": {"+syncOptions": options}}}, options="ServerSideApply=false")


@pytest.mark.parametrize(
    "override",
    [
        {"apiVersion": "v1"},
        {"kind": "AppProject"},
        {"metadata": {"name": "x"}},
        {"metadata": {"namespace": "x"}},
        {"metadata": {"finalizers": []}},
        {"spec": {"project": "x"}},
        {"spec": {"source": {"path": "x"}}},
        {"spec": {"source": {}}},
        {"spec": {"sources": []}},
        {"spec": {"sourceHydrator": {"a": 1}}},
        {"spec": {"destination": {"namespace": "x"}}},
        {"spec": {"syncPolicy": {"syncOptions": []}}},
        {"spec": {"syncPolicy": {"automated": {"prune": True}}}},
        {"spec": {"syncPolicy": {}}},
        {"operation": {"sync": {}}},
        {"status": {"a": 1}},
    ],
)
def test_what_belongs_to_the_platform_is_never_set(override: dict[str, Any]) -> None:
    assert "belongs to the platform" in _refusal(override).diagnostic.message


@pytest.mark.parametrize(
    "override",
    [
        {"spec": None},
        {"spec": "x"},
        {"metadata": {"annotations": None}},
        {"metadata": {"annotations": []}},
        {"metadata": {"annotations": {"a": {"b": "c"}}}},
        {"metadata": {"annotations": {"a": None}}},
        {"spec": {"+info": []}},
    ],
)
def test_nothing_is_removed_or_turned_into_something_else(override: dict[str, Any]) -> None:
    _refusal(override)


def test_what_is_not_allowed_is_refused_and_both_places_are_named() -> None:
    error = _refusal({"spec": {"info": []}}, allowed="metadata.**")
    message = error.diagnostic.message
    assert "apps/web.yaml:9" in message
    assert "platform.yaml:2" in message
    assert "spec.info" in message
    assert error.diagnostic.location == _AT
    assert "or allow it" in (error.diagnostic.fix or "")


def test_what_no_group_can_allow_is_only_to_be_removed() -> None:
    assert "allow it" not in (_refusal({"spec": {"project": "other"}}).diagnostic.fix or "")


def test_without_anything_allowed_every_override_is_refused() -> None:
    _refusal({"metadata": {"labels": {"a": "b"}}}, allowed="")


@pytest.mark.parametrize(
    ("override", "denied"),
    [
        ({"spec": {"info": []}}, "spec.info"),
        ({"spec": {"info": [{"name": "x", "value": "y"}]}}, "spec.info.*.value"),
        ({"metadata": {"annotations": {"example.com/a": "x"}}}, 'metadata.annotations."example.com/*"'),
    ],
)
def test_deny_wins(override: dict[str, Any], denied: str) -> None:
    assert "deniedPaths" in _refusal(override, denied=denied).diagnostic.message


def test_all_problems_are_told_together() -> None:
    error = _refusal({"spec": {"project": "x", "info": []}, "metadata": {"name": "y"}}, allowed="")
    assert len(error.diagnostics) == 3


def test_a_key_with_dots_is_shown_in_quotes() -> None:
    error = _refusal({"metadata": {"annotations": {"example.com/a": "x"}}}, allowed="")
    assert 'metadata.annotations."example.com/a"' in error.diagnostic.message
