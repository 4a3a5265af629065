"""Compiling targets: which files a tree holds, and that they do not depend on how they came about."""

from pathlib import Path

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
