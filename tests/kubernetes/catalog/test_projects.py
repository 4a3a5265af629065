from typing import Any

import pytest

from nyl.core.diagnostics import Location, NylError
from nyl.kubernetes.catalog.projects import app_project, project_name
from nyl.kubernetes.resources import AppProjectDefinition, NamespacePolicy, ProjectManagement, ProjectTemplate
from tests.support.catalog import context, group


def _definition(management: str = "Rendered", **manifest: Any) -> dict[str, AppProjectDefinition]:
    return {"ops": AppProjectDefinition("ops", ProjectManagement(management), manifest, Location("projects.yaml", 5))}


def test_a_template_gives_a_project_of_least_rights() -> None:
    template = ProjectTemplate("tenants", ("web", "preview-*"), ({"group": "apiextensions.k8s.io", "kind": "*"},))
    found = app_project(context(), group(project_template=template, destination_namespace="platform"))
    assert found is not None
    assert found.value == {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": {"name": "tenants", "namespace": "argocd"},
        "spec": {
            "sourceRepos": ["https://git.example.com/deploy"],
            "sourceNamespaces": ["argocd"],
            "destinations": [
                {"server": "https://shared.example.com", "namespace": "web"},
                {"server": "https://shared.example.com", "namespace": "preview-*"},
                {"server": "https://shared.example.com", "namespace": "platform"},
            ],
            "clusterResourceWhitelist": [
                {"group": "apiextensions.k8s.io", "kind": "*"},
                {"group": "", "kind": "Namespace"},
            ],
        },
    }
    assert found.provenance == ("synthesized AppProject of ApplicationGroup platform",)


def test_a_group_that_creates_no_namespaces_may_not() -> None:
    template = ProjectTemplate("tenants", ("web", "web"), (), ({"group": "", "kind": "ConfigMap"},))
    changed = group(project_template=template, application_namespace="apps", namespace=NamespacePolicy(create=False))
    found = app_project(context(), changed)
    assert found is not None
    assert found.value["spec"]["clusterResourceWhitelist"] == []
    assert found.value["spec"]["namespaceResourceWhitelist"] == [{"group": "", "kind": "ConfigMap"}]
    assert found.value["spec"]["sourceNamespaces"] == ["apps"]
    assert len(found.value["spec"]["destinations"]) == 1


def test_a_template_without_namespaces_is_refused() -> None:
    with pytest.raises(NylError, match="allows no namespace") as caught:
        app_project(context(), group(project_template=ProjectTemplate("tenants")))
    assert str(caught.value.diagnostic.location) == "platform.yaml:2"


def test_a_definition_is_rendered_into_the_namespace_of_argo_cd() -> None:
    projects = _definition(metadata={"labels": {"a": "b"}}, spec={"sourceRepos": ["*"]})
    found = app_project(context(projects=projects), group(project_ref="ops"))
    assert found is not None
    assert found.value["metadata"] == {"labels": {"a": "b"}, "name": "ops", "namespace": "argocd"}
    assert found.value["spec"] == {"sourceRepos": ["*"]}
    assert found.provenance == ("synthesized AppProject of AppProjectDefinition ops",)


def test_a_project_may_have_another_name_than_its_definition() -> None:
    changed = context(projects=_definition(metadata={"name": "operations"}))
    assert project_name(changed, group(project_ref="ops")) == "operations"


def test_an_external_project_has_no_object() -> None:
    changed = context(projects=_definition("External"))
    assert app_project(changed, group(project_ref="ops")) is None
    assert project_name(changed, group(project_ref="ops")) == "ops"


def test_a_group_without_a_project_is_in_the_default_one() -> None:
    assert app_project(context(), group()) is None
    assert project_name(context(), group()) == "default"


@pytest.mark.parametrize(
    "manifest", [{"kind": "Application"}, {"apiVersion": "v1"}, {"metadata": {"namespace": "elsewhere"}}]
)
def test_a_definition_of_anything_else_is_refused_at_its_place(manifest: dict[str, Any]) -> None:
    with pytest.raises(NylError) as caught:
        app_project(context(projects=_definition(**manifest)), group(project_ref="ops"))
    assert str(caught.value.diagnostic.location) == "projects.yaml:5"


def test_an_unknown_project_is_refused_at_its_group() -> None:
    with pytest.raises(NylError, match="names no AppProjectDefinition"):
        project_name(context(), group(project_ref="ops"))
