from typing import Any

import pytest

from nyl.core.diagnostics import NylError
from nyl.kubernetes.catalog.applications import application, catalog_application, namespace_application
from nyl.kubernetes.manifests import Manifest
from nyl.kubernetes.resources import ApplicationDeletionPolicy, ApplicationGroup, Destination, ProjectTemplate
from tests.support.catalog import argocd, cluster, context, group, release, target

_FINALIZER = "resources-finalizer.argocd.argoproj.io"
_OPTIONS = ["ApplyOutOfSyncOnly=true", "ServerSideApply=true"]


def _application(for_group: ApplicationGroup | None = None, **changes: Any) -> Manifest:
    return application(context(**changes), for_group or group(), release(), "web", "web")


def _catalog(**changes: Any) -> Manifest:
    found = catalog_application(context(**changes))
    assert found is not None
    return found


def test_an_application_syncs_the_folder_of_its_release() -> None:
    assert _application().value == {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "web", "namespace": "argocd", "finalizers": [_FINALIZER]},
        "spec": {
            "project": "default",
            "source": {
                "repoURL": "https://git.example.com/deploy",
                "targetRevision": "deploy",
                "path": "staging/platform/web",
                "directory": {"recurse": True},
            },
            "destination": {"server": "https://shared.example.com", "namespace": "web"},
            "syncPolicy": {"syncOptions": _OPTIONS},
        },
    }


def test_it_says_that_it_was_synthesized_and_stands_at_its_release() -> None:
    found = _application()
    assert found.provenance == ("synthesized Application of Release platform/web",)
    assert str(found.location) == "apps/web.yaml:4"


def test_a_prefix_at_the_root_has_no_segment() -> None:
    assert _application(target=target(prefix="")).value["spec"]["source"]["path"] == "platform/web"


def test_paths_are_those_of_the_tree() -> None:
    found = application(context(), group(output_path="a b"), release("web:1"), "web", "web")
    assert found.value["spec"]["source"]["path"] == "staging/a%20b/web%3A1"


def test_a_cluster_may_be_known_by_its_name() -> None:
    named = cluster("shared", Destination(name="prod"))
    assert _application(cluster=named).value["spec"]["destination"] == {"name": "prod", "namespace": "web"}


def test_the_group_gives_namespace_labels_annotations_project_and_sync_policy() -> None:
    found = _application(
        group(
            application_namespace="apps",
            application_labels={"a": "b"},
            application_annotations={"c": "d"},
            project_template=ProjectTemplate("tenants"),
            sync_policy={"automated": {"prune": True}, "retry": {"limit": 3}, "syncOptions": ["ServerSideApply=false"]},
        )
    ).value
    assert found["metadata"]["namespace"] == "apps"
    assert found["metadata"]["labels"] == {"a": "b"}
    assert found["metadata"]["annotations"] == {"c": "d"}
    assert found["spec"]["project"] == "tenants"
    assert found["spec"]["syncPolicy"] == {
        "automated": {"prune": True},
        "retry": {"limit": 3},
        "syncOptions": ["ApplyOutOfSyncOnly=true", "ServerSideApply=false"],
    }


@pytest.mark.parametrize(
    ("policy", "finalizers"),
    [
        (ApplicationDeletionPolicy.FOREGROUND, [_FINALIZER]),
        (ApplicationDeletionPolicy.BACKGROUND, [f"{_FINALIZER}/background"]),
        (ApplicationDeletionPolicy.ORPHAN, None),
    ],
)
def test_finalizers_follow_the_deletion_policy(policy: ApplicationDeletionPolicy, finalizers: object) -> None:
    assert _application(group(deletion_policy=policy)).value["metadata"].get("finalizers") == finalizers


def test_a_dedicated_namespace_has_an_application_of_its_own() -> None:
    found = namespace_application(context(), group(application_labels={"a": "b"}), "shared")
    assert found.value["metadata"]["name"] == "staging-namespace-shared"
    assert found.value["metadata"]["labels"] == {"a": "b"}
    assert found.value["spec"]["source"]["path"] == "staging/_nyl/namespaces/shared"
    assert found.value["spec"]["destination"]["namespace"] == "shared"
    assert found.provenance == ("synthesized Application of Namespace shared",)


def test_the_parent_syncs_the_catalog_by_itself_and_confirms_its_own_removal() -> None:
    assert _catalog().value == {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {
            "name": "staging-catalog",
            "namespace": "argocd",
            "annotations": {"argocd.argoproj.io/sync-options": "Prune=confirm"},
            "finalizers": [_FINALIZER],
        },
        "spec": {
            "project": "default",
            "source": {
                "repoURL": "https://git.example.com/deploy",
                "targetRevision": "deploy",
                "path": "staging/_nyl/catalog",
                "directory": {"recurse": True},
            },
            "destination": {"server": "https://management.example.com", "namespace": "argocd"},
            "syncPolicy": {"automated": {"prune": True, "selfHeal": True}, "syncOptions": _OPTIONS},
        },
    }


def test_a_target_may_have_no_parent() -> None:
    assert catalog_application(context(target=target(enabled=False))) is None
    assert catalog_application(context(argocd=argocd(enabled=False))) is None
    assert catalog_application(context(argocd=argocd(enabled=False), target=target(enabled=True))) is not None


def test_settings_of_the_target_go_before_those_of_its_instance() -> None:
    defaults = argocd(
        project="ops", labels={"a": "1", "b": "1"}, applicationDeletionPolicy="Orphan", selfPrunePolicy="Retain"
    )
    found = _catalog(argocd=defaults, target=target(name="prod", labels={"b": "2"}, syncPolicy={})).value
    assert found["metadata"]["name"] == "prod-catalog"
    assert found["metadata"]["labels"] == {"a": "1", "b": "2"}
    assert found["metadata"]["annotations"] == {"argocd.argoproj.io/sync-options": "Prune=false"}
    assert "finalizers" not in found["metadata"]
    assert found["spec"]["project"] == "ops"
    assert found["spec"]["syncPolicy"] == {"syncOptions": _OPTIONS}


def test_the_parent_may_have_a_name_of_its_own() -> None:
    assert _catalog(argocd=argocd(name="parent")).value["metadata"]["name"] == "parent"


def test_a_parent_that_is_pruned_without_asking_has_no_option() -> None:
    assert "annotations" not in _catalog(target=target(selfPrunePolicy="Automatic")).value["metadata"]


def test_options_that_are_written_as_an_annotation_win() -> None:
    annotations = {"argocd.argoproj.io/sync-options": "Delete=false, Prune=false"}
    found = _catalog(target=target(annotations=annotations)).value["metadata"]["annotations"]
    assert found == {"argocd.argoproj.io/sync-options": "Prune=false,Delete=false"}


def test_a_name_that_kubernetes_refuses_is_an_error_at_the_target() -> None:
    with pytest.raises(NylError, match="Big-catalog") as caught:
        _catalog(target=target("Big"))
    assert str(caught.value.diagnostic.location) == "t.yaml:3"
