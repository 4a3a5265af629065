"""Which namespace an object gets, and which it may be in."""

from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.kubernetes.kinds import KNOWN, Scope, declared_scope
from nyl.kubernetes.manifests import Manifest
from nyl.kubernetes.scope import NamespaceRules, Placement

RULES = NamespaceRules("platform/web", "web", ("extra",))
FREE = NamespaceRules("web", "web", is_checked=False)


def manifest(
    api: str, kind: str, *expanded: str, source: str | None = None, told: str | None = None, **metadata: Any
) -> Manifest:
    value = {"apiVersion": api, "kind": kind, "metadata": {"name": "x", **metadata}}
    return Manifest(value, ("web.yaml", *expanded), Location("web.yaml", 7), source, told)


def placed(given: Manifest, rules: NamespaceRules = RULES, **scopes: Scope) -> str | None:
    known = {("example.com", kind): scope for kind, scope in scopes.items()}
    namespace = Placement(rules, known).placed(given).value["metadata"].get("namespace")
    return None if namespace is None else str(namespace)


def refused(given: Manifest, **scopes: Scope) -> str:
    with pytest.raises(NylError) as caught:
        placed(given, **scopes)
    assert caught.value.diagnostic.code is Code.NAMESPACE_SCOPE
    return caught.value.diagnostic.message


@pytest.mark.parametrize(
    ("given", "namespace"),
    [
        (manifest("v1", "ConfigMap"), "web"),
        (manifest("v1", "ConfigMap", namespace=""), "web"),
        (manifest("v1", "ConfigMap", namespace=None), "web"),
        (manifest("v1", "ConfigMap", namespace="extra"), "extra"),
        (manifest("v1", "ConfigMap", "HelmChart x", told="extra"), "extra"),
        (manifest("apps/v1beta1", "Deployment"), "web"),
        (manifest("v1", "Namespace"), None),
        (manifest("rbac.authorization.k8s.io/v1", "ClusterRole"), None),
        (manifest("rbac.authorization.k8s.io/v1", "ClusterRole", "HelmChart x", namespace="web"), "web"),
        (manifest("example.com/v1", "Unknown"), None),
        (manifest("example.com/v1", "Unknown", namespace="web"), "web"),
    ],
)
def test_objects_are_placed_by_the_scope_of_their_kind(given: Manifest, namespace: str | None) -> None:
    assert placed(given) == namespace


def test_custom_kinds_are_placed_as_their_definitions_say() -> None:
    assert placed(manifest("example.com/v1", "Thing"), Thing=Scope.NAMESPACED) == "web"
    assert placed(manifest("example.com/v1", "Thing"), Thing=Scope.CLUSTER) is None


def test_a_namespace_stands_after_the_name_and_nothing_else_moves() -> None:
    given = manifest("v1", "ConfigMap", labels={"a": "b"})
    found = Placement(RULES, {}).placed(given)
    assert list(found.value["metadata"].items()) == [("name", "x"), ("namespace", "web"), ("labels", {"a": "b"})]
    assert "namespace" not in given.value["metadata"]


def test_other_namespaces_are_refused_and_named() -> None:
    message = refused(
        manifest("v1", "ConfigMap", "HelmChart api (chart ./api)", source="api/x.yaml", namespace="other")
    )
    assert "web.yaml:7: ConfigMap x (from HelmChart api (chart ./api), template api/x.yaml)" in message
    assert "other" in message
    assert "web, extra" in message


def test_unknown_kinds_are_checked_by_the_namespace_they_name() -> None:
    assert "other" in refused(manifest("example.com/v1", "Unknown", namespace="other"))


def test_a_namespace_on_a_kind_without_one_is_a_mistake_in_a_bundle() -> None:
    assert "belong to none" in refused(manifest("v1", "PersistentVolume", namespace="web"))


def test_without_a_target_nothing_is_checked_but_defaults_hold() -> None:
    assert placed(manifest("v1", "ConfigMap", namespace="other"), FREE) == "other"
    assert placed(manifest("v1", "ConfigMap"), FREE) == "web"
    assert placed(manifest("v1", "ConfigMap"), NamespaceRules("web", None, is_checked=False)) is None


@pytest.mark.parametrize("metadata", [{"name": ""}, {"name": None}, {"name": "", "generateName": "job-"}])
def test_objects_without_a_name_are_refused_with_chart_and_template(metadata: dict[str, Any]) -> None:
    given = manifest("batch/v1", "Job", "HelmChart api (chart ./api)", source="api/job.yaml", **metadata)
    with pytest.raises(NylError) as caught:
        placed(given)
    assert caught.value.diagnostic.code is Code.OBJECT_NAME
    assert "HelmChart api (chart ./api), template api/job.yaml" in caught.value.diagnostic.message
    assert ("generateName" in caught.value.diagnostic.message) == ("generateName" in metadata)


def test_an_object_without_metadata_has_no_name() -> None:
    given = Manifest({"apiVersion": "v1", "kind": "Secret", "metadata": None}, ("a",), Location("a", 1))
    with pytest.raises(NylError) as caught:
        placed(given)
    assert caught.value.diagnostic.code is Code.OBJECT_NAME


def test_kinds_that_no_table_knows_are_noted_with_what_was_said_of_them() -> None:
    placement = Placement(RULES, {("example.com", "Thing"): Scope.NAMESPACED})
    for kind in ("Thing", "Other"):
        placement.placed(manifest("example.com/v1", kind))
    placement.placed(manifest("v1", "ConfigMap"))
    assert placement.open_kinds == {("example.com", "Thing"): Scope.NAMESPACED, ("example.com", "Other"): None}


def definition(spec: Any, api: str = "apiextensions.k8s.io/v1") -> Manifest:
    return Manifest({"apiVersion": api, "kind": "CustomResourceDefinition", "spec": spec}, ("a",), Location("a"))


def test_definitions_tell_the_scope_of_their_kind() -> None:
    spec = {"group": "example.com", "names": {"kind": "Thing"}, "scope": "Cluster"}
    assert declared_scope(definition(spec)) == (("example.com", "Thing"), Scope.CLUSTER)


@pytest.mark.parametrize("spec", [None, {}, [], {"names": []}, {"group": "a", "names": {"kind": "B"}, "scope": "Odd"}])
def test_odd_definitions_tell_nothing(spec: Any) -> None:
    assert declared_scope(definition(spec)) is None
    assert declared_scope(definition(spec, "example.com/v1")) is None


def test_no_kind_is_in_both_tables() -> None:
    assert KNOWN[("", "Namespace")] is Scope.CLUSTER
    assert KNOWN[("networking.k8s.io", "Ingress")] is Scope.NAMESPACED
    assert KNOWN[("networking.k8s.io", "IngressClass")] is Scope.CLUSTER
