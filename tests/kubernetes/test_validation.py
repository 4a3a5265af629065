"""What `nyl validate` says of the Kubernetes resources of a project, across its targets."""

from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic
from nyl.kubernetes.validation import kubernetes_problems
from tests.support.kubernetes_project import CLUSTER, GROUP, PROJECT, RELEASE, TARGET, kubernetes_project

OWN = "https://git.example.com/team/platform.git"
COMMIT = "3f1c9a" + "0" * 34
WEB = """\
apiVersion: k8s.nyl/v1
kind: Release
metadata: {name: web, namespace: web}
spec:
  inputs:
    image: {type: string, description: Immutable image reference}
    replicas: {type: integer, default: 2}
"""


def problems(tmp_path: Path, files: dict[str, str]) -> list[Diagnostic]:
    found = kubernetes_problems(kubernetes_project(tmp_path, {**PROJECT, **files}), OWN)
    assert all(each.fix and each.location for each in found)
    return list(found)


def codes(found: list[Diagnostic]) -> list[tuple[Code, str]]:
    return [(each.code, str(each.location)) for each in found]


def dev(spec: str = "") -> str:
    """Another target of the same cluster."""
    return TARGET.replace("name: prod,", "name: dev,").replace(
        "spec:\n", f"spec:\n  clusterRef: {{name: prod}}\n{spec}"
    )


def test_a_good_project_has_no_problems(tmp_path: Path) -> None:
    assert problems(tmp_path, {}) == []


def test_a_project_without_targets_has_no_problems(tmp_path: Path) -> None:
    files = {"cluster.yaml": CLUSTER, "group.yaml": GROUP, "web.yaml": RELEASE}
    assert kubernetes_problems(kubernetes_project(tmp_path, files), None) == ()


def test_two_targets_of_one_argocd_may_not_have_applications_of_one_name(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, {"z.yaml": dev()})
    assert (found.code, str(found.location)) == (Code.APPLICATION_TAKEN, "applications/platform/web.yaml:1")
    assert "argocd/web of Release platform/web of DeploymentTarget dev" in found.message
    assert "Release platform/web of DeploymentTarget prod" in found.message


@pytest.mark.parametrize(
    "group",
    [
        "  applicationNameTemplate: '{{ target.metadata.name }}-{{ release.name }}'\n",
        "  applicationNamespace: 'argocd-{{ target.metadata.name }}'\n",
        "  enabled: {{ target.metadata.name == 'prod' }}\n",
        "{% if target.metadata.name == 'prod' %}\n  enabled: true\n{% endif %}\n",
    ],
)
def test_targets_may_tell_their_applications_apart(tmp_path: Path, group: str) -> None:
    files = {"z.yaml": dev(), "group.yaml": GROUP.replace("spec: {}\n", f"spec:\n{group}")}
    assert problems(tmp_path, files) == []


@pytest.mark.parametrize(
    ("project", "is_refused"),
    [
        ("projectTemplate: {destinationNamespaces: ['{{ target.metadata.name }}-web']}", True),
        ("projectTemplate: {name: 'of-{{ target.metadata.name }}', destinationNamespaces: [web]}", False),
        ("projectTemplate: {destinationNamespaces: [web]}", False),
        ("projectRef: shared", False),
    ],
)
def test_targets_of_one_argocd_agree_on_its_projects(tmp_path: Path, project: str, is_refused: bool) -> None:
    names = "  applicationNameTemplate: '{{ target.metadata.name }}-{{ release.name }}'\n"
    manifest = "{apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: shared}, spec: {}}"
    files = {
        "z.yaml": dev(),
        "group.yaml": GROUP.replace("spec: {}\n", f"spec:\n{names}  {project}\n"),
        "project.yaml": "apiVersion: k8s.gitops.nyl/v1\nkind: AppProjectDefinition\nmetadata: {name: shared}\n"
        f"spec: {{management: Rendered, manifest: {manifest}}}\n",
    }
    found = problems(tmp_path, files)
    assert codes(found) == ([(Code.CATALOG_CONFLICT, "group.yaml:1")] if is_refused else [])
    assert all("DeploymentTargets prod (group.yaml:1) and dev" in each.message for each in found)


def test_targets_of_other_argocds_may_have_applications_of_one_name(tmp_path: Path) -> None:
    other = CLUSTER.replace("{name: prod}", "{name: dev}")
    assert (
        problems(
            tmp_path, {"z.yaml": dev().replace("clusterRef: {name: prod}", "clusterRef: {name: dev}"), "c.yaml": other}
        )
        == []
    )


def test_the_names_of_catalogs_count_too(tmp_path: Path) -> None:
    group = GROUP.replace("spec: {}", "spec: {applicationNameTemplate: '{{ target.metadata.name }}-catalog'}")
    (found,) = problems(tmp_path, {"group.yaml": group})
    assert (found.code, str(found.location)) == (Code.APPLICATION_TAKEN, "target.yaml:1")
    off = TARGET + "  catalogApplication: {enabled: false}\n"
    assert problems(tmp_path, {"group.yaml": group, "target.yaml": off}) == []


def test_names_that_kubernetes_refuses_are_told(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, {"applications/platform/web.yaml": RELEASE.replace("name: web,", "name: Web,")})
    assert found.code is Code.RESOURCE_INVALID


def test_unknown_references_are_told_together(tmp_path: Path) -> None:
    files = {
        "target.yaml": TARGET.replace("spec:\n", "spec:\n  clusterRef: {name: x}\n"),
        "dev.yaml": dev("  argocdRef: {name: y}\n"),
        "test.yaml": dev("").replace("name: dev,", "name: test,"),
        "group.yaml": GROUP.replace("spec: {}", "spec: {projectRef: z}"),
        "other.yaml": dev("").replace("name: dev,", "name: other,").replace("{name: deploy}", "{name: a}"),
    }
    assert codes(problems(tmp_path, files)) == [
        (Code.ARGOCD_UNKNOWN, "dev.yaml:1"),
        (Code.ARGOCD_PROJECT_UNKNOWN, "group.yaml:4"),
        (Code.REPOSITORY_UNKNOWN, "other.yaml:1"),
        (Code.CLUSTER_UNKNOWN, "target.yaml:1"),
    ]


def test_a_problem_of_a_group_is_told_once_for_all_targets(tmp_path: Path) -> None:
    files = {"z.yaml": dev(), "group.yaml": GROUP.replace("spec: {}", "spec: {enabld: true}")}
    assert codes(problems(tmp_path, files)) == [(Code.RESOURCE_INVALID, "group.yaml:4")]


def test_overlapping_prefixes_are_told(tmp_path: Path) -> None:
    files = {
        "z.yaml": dev().replace("revision: deploy", "revision: deploy, pathPrefix: prod/dev"),
        "group.yaml": GROUP.replace("spec: {}", "spec: {applicationNamespace: '{{ target.metadata.name }}'}"),
    }
    assert codes(problems(tmp_path, files)) == [(Code.TARGET_OVERLAP, "z.yaml:1")]


def test_declarations_of_inputs_are_checked(tmp_path: Path) -> None:
    bad = WEB.replace("type: integer", "type: int")
    target = TARGET + "  releaseInputs: {platform/web: {image: {value: a}}}\n"
    found = problems(tmp_path, {"applications/platform/web.yaml": bad, "target.yaml": target})
    assert codes(found) == [(Code.RELEASE_INPUTS, "applications/platform/web.yaml:7")]


def test_bindings_are_checked_as_far_as_they_are_static(tmp_path: Path) -> None:
    target = TARGET + (
        "  releaseInputs:\n"
        "    platform/wbe: {image: {value: a}}\n"
        "    platform/web:\n"
        "      replicas: {value: two}\n"
        "      size: {value: 1}\n"
        "    platform/api: {image: {value: a}}\n"
    )
    files = {
        "applications/platform/web.yaml": WEB,
        "applications/platform/api.yaml": RELEASE.replace("name: web", "name: api"),
        "target.yaml": target,
    }
    found = problems(tmp_path, files)
    assert codes(found) == [
        (Code.INPUT_BINDING, "target.yaml:8"),
        (Code.INPUT_MISSING, "target.yaml:9"),
        (Code.INPUT_INVALID, "target.yaml:10"),
        (Code.INPUT_BINDING, "target.yaml:11"),
        (Code.INPUT_BINDING, "target.yaml:12"),
    ]
    assert "Immutable image reference" in found[1].message


@pytest.mark.parametrize(
    "source",
    [
        "{fromFile: {path: no-such-file.yaml}}",
        f"{{fromGit: {{repositoryRef: {{name: deploy}}, revision: main, commit: {COMMIT}, path: a.yaml}}}}",
        "{fromPublication: {path: state/images.json}}",
    ],
)
def test_no_source_of_a_binding_is_read(tmp_path: Path, source: str) -> None:
    target = TARGET + f"  releaseInputs: {{platform/web: {{image: {source}}}}}\n"
    assert problems(tmp_path, {"applications/platform/web.yaml": WEB, "target.yaml": target}) == []


@pytest.mark.parametrize("group", ["enabled: false", f"source: {{revision: main, commit: {COMMIT}}}"])
def test_bindings_of_disabled_and_remote_groups_are_left_alone(tmp_path: Path, group: str) -> None:
    target = TARGET + "  releaseInputs: {platform/other: {image: {value: 1}}}\n"
    assert problems(tmp_path, {"group.yaml": GROUP.replace("{}", f"{{{group}}}"), "target.yaml": target}) == []


def test_a_state_file_may_not_lie_in_the_folder_of_a_release(tmp_path: Path) -> None:
    binding = "{image: {fromPublication: {path: platform/web/images.json}}}"
    target = TARGET + f"  releaseInputs: {{platform/web: {binding}}}\n"
    found = problems(tmp_path, {"applications/platform/web.yaml": WEB, "target.yaml": target})
    assert codes(found) == [(Code.STATE_PATH, "target.yaml:7")]


def test_a_target_may_not_lock_its_own_publication(tmp_path: Path) -> None:
    lock = f"{{repository: {{repoURL: {OWN}}}, revision: deploy, commit: {COMMIT}, path: prod/state.json}}"
    target = TARGET.replace("repositoryRef: {name: deploy}, ", "")
    target += f"  releaseInputs: {{platform/web: {{image: {{fromGit: {lock}}}}}}}\n"
    found = problems(tmp_path, {"applications/platform/web.yaml": WEB, "target.yaml": target})
    assert codes(found) == [(Code.INPUT_BINDING, "target.yaml:7")]


def test_two_releases_of_one_name_in_a_group_are_told(tmp_path: Path) -> None:
    found = problems(tmp_path, {"applications/platform/z.yaml": RELEASE})
    assert codes(found) == [(Code.RELEASE_TAKEN, "applications/platform/z.yaml:1")]
