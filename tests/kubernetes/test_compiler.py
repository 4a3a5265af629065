"""Compiling targets: which files a tree holds, and that they do not depend on how they came about."""

from pathlib import Path

from tests.support.kubernetes_project import PROJECT, RELEASE
from tests.support.kubernetes_session import Site


def test_a_release_its_namespace_and_the_catalog_make_a_tree(tmp_path: Path) -> None:
    texts = Site(tmp_path).texts()
    assert sorted(texts) == [
        "_nyl/catalog/application.argoproj.io/argocd/prod-catalog.yaml",
        "_nyl/catalog/application.argoproj.io/argocd/web.yaml",
        "platform/web/configmap/web/settings.yaml",
        "platform/web/namespace/web.yaml",
    ]
    assert texts["platform/web/configmap/web/settings.yaml"] == (
        "# Nyl-Provenance: applications/platform/web.yaml\n"
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n  namespace: web\ndata:\n  region: eu\n"
    )


def test_a_release_may_name_the_api_of_the_resources_that_select_it(tmp_path: Path) -> None:
    files = {**PROJECT, "applications/platform/web.yaml": RELEASE.replace("k8s.nyl/v1", "k8s.gitops.nyl/v1", 1)}
    assert Site(tmp_path / "one", files).texts() == Site(tmp_path / "other").texts()
