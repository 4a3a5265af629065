"""The Kubernetes resources of a project: what is read of them, their defaults, and what is refused."""

from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.kubernetes.resources import Destination, ProjectManagement
from nyl.project.resources import RepositoryLocation
from tests.support.kubernetes_project import (
    CLUSTER,
    GROUP,
    PROJECT,
    RELEASE,
    REPOSITORY,
    TARGET,
    declarations,
    declared_problems,
)


def target_with(tmp_path: Path, spec: str, *others: str) -> dict[str, str]:
    """A target with a spec, and the repository that it may refer to."""
    head = "apiVersion: k8s.gitops.nyl/v1\nkind: DeploymentTarget\nmetadata: {name: prod}\nspec:\n"
    return {"target.yaml": head + spec, "all.yaml": "---\n".join((REPOSITORY, *others))}


def test_a_project_is_read(tmp_path: Path) -> None:
    found = declarations(tmp_path)
    assert [list(each) for each in (found.clusters, found.targets, found.groups)] == [["prod"], ["prod"], ["platform"]]
    assert list(found.releases) == ["applications/platform/web.yaml"]
    cluster, target = found.clusters["prod"], found.targets["prod"]
    assert cluster.destination == Destination(server="https://kubernetes.default.svc")
    assert (cluster.kube_version, cluster.api_versions) == ("v1.31.4", ("monitoring.coreos.com/v1",))
    assert (target.labels, target.location.line) == ({"stage": "production"}, 1)
    assert target.publication.repository == RepositoryLocation("https://git.example.com/team/deploy.git")


def test_a_target_has_the_cluster_and_the_prefix_of_its_own_name(tmp_path: Path) -> None:
    target = declarations(tmp_path).targets["prod"]
    assert (target.cluster, target.publication.prefix, target.publication.revision) == ("prod", "prod", "deploy")
    assert (target.match_labels, target.argocd, target.catalog, target.release_inputs) == ({}, None, {}, {})


def test_a_target_without_a_repository_publishes_to_the_projects_own(tmp_path: Path) -> None:
    spec = "  publication: {revision: refs/heads/deploy/prod, pathPrefix: /}\n".replace("/}", "''}")
    publication = declarations(tmp_path, target_with(tmp_path, spec)).targets["prod"].publication
    assert (publication.repository, publication.revision, publication.prefix) == (None, "deploy/prod", "")


def test_what_a_target_says_stands_over_the_defaults(tmp_path: Path) -> None:
    spec = (
        "  clusterRef: {name: shared}\n  argocdRef: {name: central}\n"
        "  applicationGroupSelector: {matchLabels: {a: b}}\n"
        "  publication: {repository: {repoURL: https://x.example/d.git, publishURL: ssh://git@x.example/d.git}, "
        "revision: main, pathPrefix: ./clusters//prod/}\n"
        "  releaseInputs: {platform/web: {image: {value: a}}}\n"
    )
    target = declarations(tmp_path, target_with(tmp_path, spec)).targets["prod"]
    assert (target.cluster, target.argocd, target.match_labels) == ("shared", "central", {"a": "b"})
    assert target.publication.prefix == "clusters/prod"
    assert target.publication.repository == RepositoryLocation("https://x.example/d.git", "ssh://git@x.example/d.git")
    assert target.release_inputs == {"platform/web": {"image": {"value": "a"}}}


def test_templates_see_no_bindings_and_no_kubeconfig_context(tmp_path: Path) -> None:
    cluster = CLUSTER + "  live: {context: admin@prod}\n"
    target = TARGET + "  releaseInputs: {platform/web: {image: {value: a}}}\n"
    found = declarations(tmp_path, {**PROJECT, "cluster.yaml": cluster, "target.yaml": target})
    assert found.clusters["prod"].context == "admin@prod"
    assert "live" not in found.clusters["prod"].document["spec"]
    assert "releaseInputs" not in found.targets["prod"].document["spec"]
    assert found.targets["prod"].document["metadata"]["labels"] == {"stage": "production"}
    assert found.clusters["prod"].document["metadata"]["labels"] == {}


def test_an_argocd_instance_is_in_the_namespace_argocd_unless_it_says_otherwise(tmp_path: Path) -> None:
    plain = "apiVersion: k8s.gitops.nyl/v1\nkind: ArgoCDInstance\nmetadata: {name: one}\n"
    full = (
        "apiVersion: k8s.gitops.nyl/v1\nkind: ArgoCDInstance\nmetadata: {name: two}\nspec:\n  namespace: cd\n"
        "  clusterRef: {name: management}\n  catalogApplicationDefaults: {project: platform}\n"
    )
    found = declarations(tmp_path, {"a.yaml": f"{plain}---\n{full}"}).argocd_instances
    assert (found["one"].namespace, found["one"].cluster, found["one"].catalog_defaults) == ("argocd", None, {})
    assert (found["two"].namespace, found["two"].cluster) == ("cd", "management")
    assert found["two"].catalog_defaults == {"project": "platform"}


def test_a_project_definition_holds_its_manifest(tmp_path: Path) -> None:
    text = (
        "apiVersion: k8s.gitops.nyl/v1\nkind: AppProjectDefinition\nmetadata: {name: workloads}\nspec:\n"
        "  management: External\n  manifest:\n    apiVersion: argoproj.io/v1alpha1\n    kind: AppProject\n"
        "    metadata: {name: team}\n"
    )
    found = declarations(tmp_path, {"a.yaml": text}).projects["workloads"]
    assert (found.management, found.manifest["metadata"]["name"]) == (ProjectManagement.EXTERNAL, "team")


def test_an_external_project_needs_no_manifest_and_a_rendered_one_does(tmp_path: Path) -> None:
    head = "apiVersion: k8s.gitops.nyl/v1\nkind: AppProjectDefinition\nmetadata: {name: workloads}\n"
    found = declarations(tmp_path, {"a.yaml": f"{head}spec: {{management: External}}\n"}).projects["workloads"]
    assert (found.management, found.manifest) == (ProjectManagement.EXTERNAL, {})
    (problem,) = declared_problems(tmp_path, {"a.yaml": f"{head}spec: {{}}\n"})
    assert "manifest" in problem.message


def test_a_group_is_its_envelope_and_the_text_of_its_spec(tmp_path: Path) -> None:
    text = (
        "# the platform\napiVersion: k8s.gitops.nyl/v1\nkind: ApplicationGroup\nmetadata: {name: p, labels: {a: b}}\n"
        "spec:\n{% if values.on %}\n  enabled: true\n{% endif %}\n"
    )
    group = declarations(tmp_path, {"a.yaml": text}).groups["p"]
    assert (group.labels, group.location.line, group.spec_line) == ({"a": "b"}, 2, 5)
    assert group.spec.split("\n")[:3] == ["spec:", "{% if values.on %}", "  enabled: true"]


def test_a_group_without_a_spec_has_an_empty_one(tmp_path: Path) -> None:
    text = "apiVersion: k8s.gitops.nyl/v1\nkind: ApplicationGroup\nmetadata: {name: p}\n"
    assert declarations(tmp_path, {"a.yaml": text}).groups["p"].spec == "spec: {}"


def test_names_that_stand_twice_are_told_with_both_places(tmp_path: Path) -> None:
    files = {
        "a.yaml": "---\n".join((CLUSTER, CLUSTER, GROUP, GROUP, REPOSITORY, TARGET, TARGET)),
    }
    found = declared_problems(tmp_path, files)
    assert [(each.code, each.location and each.location.line) for each in found] == [
        (Code.NAME_TAKEN, 9),
        (Code.NAME_TAKEN, 22),
        (Code.NAME_TAKEN, 39),
    ]
    assert "a.yaml:9: the Cluster prod stands at a.yaml:1 already." in found[0].message


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ("  publication: {repositoryRef: {name: other}, revision: deploy}", Code.REPOSITORY_UNKNOWN),
        ("  publication: {repository: {repoURL: 'https://a:b@x.example/d.git'}, revision: deploy}", Code.URL_REFUSED),
        ("  publication: {revision: '-x'}", Code.URL_REFUSED),
        ("  publication: {revision: a..b}", Code.URL_REFUSED),
        ("  publication: {revision: refs/tags/v1}", Code.URL_REFUSED),
        ("  publication: {revision: HEAD}", Code.URL_REFUSED),
        ("  publication: {revision: deploy, pathPrefix: ../x}", Code.PATH_REFUSED),
        ("  publication: {revision: deploy, pathPrefix: /x}", Code.PATH_REFUSED),
        ("  publication: {revision: deploy, pathPrefix: 'a\\b'}", Code.PATH_REFUSED),
        ("  publication: {revision: deploy, pathPrefix: .git}", Code.PATH_REFUSED),
        ("  publication: {revision: deploy, pathPrefix: a/.GIT/b}", Code.PATH_REFUSED),
        ("  publication: {revision: deploy, pathPrefix: .GitHub/workflows}", Code.PATH_REFUSED),
        ("  publication: {revision: deploy, pathPrefix: ./.github}", Code.PATH_REFUSED),
    ],
)
def test_places_that_cannot_be_published_to_are_refused(tmp_path: Path, spec: str, code: Code) -> None:
    (found,) = declared_problems(tmp_path, target_with(tmp_path, spec + "\n"))
    assert (found.code, str(found.location)) == (code, "target.yaml:1")
    assert found.fix


def test_all_problems_are_told_together(tmp_path: Path) -> None:
    broken = RELEASE.replace("namespace: web}\n---", "namespace: web}\nspec: {inputs: {a: {type: text}}}\n---", 1)
    files = {**target_with(tmp_path, "  publication: {revision: '-'}\n"), "web.yaml": broken}
    assert [each.code for each in declared_problems(tmp_path, files)] == [Code.URL_REFUSED, Code.RELEASE_INPUTS]
