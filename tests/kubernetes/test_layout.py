import pytest

from nyl.core.diagnostics import Location
from nyl.kubernetes import layout
from nyl.kubernetes.manifests import Manifest, ObjectIdentity

_CRDS = "apiextensions.k8s.io"


@pytest.mark.parametrize(
    ("identity", "path"),
    [
        (ObjectIdentity("", "ConfigMap", "api", "settings"), "configmap/api/settings.yaml"),
        (ObjectIdentity("apps", "Deployment", "api", "web"), "deployment.apps/api/web.yaml"),
        (
            ObjectIdentity("rbac.authorization.k8s.io", "ClusterRole", "", "system:aggregate-to-admin"),
            "clusterrole.rbac.authorization.k8s.io/system%3Aaggregate-to-admin.yaml",
        ),
        (ObjectIdentity("", "Namespace", "", "con"), "namespace/%63on.yaml"),
        (ObjectIdentity(_CRDS, "CustomResourceDefinition", "", "a.example.com"), "crd/a.example.com.yaml"),
        (
            ObjectIdentity("example.com", "CustomResourceDefinition", "", "a"),
            "customresourcedefinition.example.com/a.yaml",
        ),
        (ObjectIdentity("", "ConfigMap", "aux", "x"), "configmap/%61ux/x.yaml"),
    ],
)
def test_an_object_lies_where_its_identity_says(identity: ObjectIdentity, path: str) -> None:
    assert layout.manifest_path(identity) == path


@pytest.mark.parametrize(
    ("versions", "kind", "path"),
    [
        (("apps/v1", "apps/v1beta2"), "Deployment", "deployment.apps/x/a.yaml"),
        ((f"{_CRDS}/v1", f"{_CRDS}/v1beta1"), "CustomResourceDefinition", "crd/a.yaml"),
    ],
)
def test_the_version_of_the_api_is_no_part_of_the_path(versions: tuple[str, ...], kind: str, path: str) -> None:
    for version in versions:
        value = {"apiVersion": version, "kind": kind, "metadata": {"name": "a", "namespace": "x"}}
        assert layout.manifest_path(Manifest(value, (), Location("f")).identity) == path


def test_a_release_lies_below_the_output_of_its_group() -> None:
    assert layout.release_folder("platform", "web") == "platform/web"
    assert layout.release_folder("team a/aux", "web:1") == "team%20a/%61ux/web%3A1"
    assert layout.release_folder("_nyl", "..") == "%5Fnyl/%2E%2E"


def test_the_catalog_has_the_same_layout_as_a_release() -> None:
    identity = ObjectIdentity("argoproj.io", "Application", "argocd", "web")
    assert layout.catalog_path(identity) == "_nyl/catalog/application.argoproj.io/argocd/web.yaml"
    project = ObjectIdentity("argoproj.io", "AppProject", "argocd", "ops")
    assert layout.catalog_path(project) == "_nyl/catalog/appproject.argoproj.io/argocd/ops.yaml"


def test_a_dedicated_namespace_has_a_folder_of_its_own() -> None:
    namespace = ObjectIdentity("", "Namespace", "", "shared")
    path = f"{layout.dedicated_folder('shared')}/{layout.manifest_path(namespace)}"
    assert path == "_nyl/namespaces/shared/namespace/shared.yaml"
