"""Targets with what they refer to: the default Cluster and Argo CD, merged values, and choosing one."""

from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, NylError
from nyl.kubernetes.targets import EffectiveTarget, select_target, selected_groups
from tests.support.kubernetes_project import CLUSTER, GROUP, PROJECT, TARGET, declarations

ARGOCD = "apiVersion: k8s.gitops.nyl/v1\nkind: ArgoCDInstance\nmetadata: {name: central}\nspec: {namespace: cd}\n"


def selected(tmp_path: Path, files: dict[str, str], name: str | None = None) -> EffectiveTarget:
    return select_target(declarations(tmp_path, {**PROJECT, **files}), name)


def problem(tmp_path: Path, files: dict[str, str], name: str | None = None) -> Diagnostic:
    with pytest.raises(NylError) as caught:
        selected(tmp_path, files, name)
    assert caught.value.diagnostic.fix
    return caught.value.diagnostic


def test_values_are_laid_deeply_over_those_of_the_cluster(tmp_path: Path) -> None:
    target = selected(tmp_path, {})
    assert target.values == {"region": "eu", "sizes": {"small": 1, "large": 8}}
    assert set(target.context) == {"values", "cluster", "target"}
    assert target.context["target"]["metadata"] == {"name": "prod", "labels": {"stage": "production"}}


def test_the_only_target_needs_no_name(tmp_path: Path) -> None:
    assert selected(tmp_path, {}).name == selected(tmp_path, {}, "prod").name == "prod"


def test_several_targets_are_listed(tmp_path: Path) -> None:
    other = TARGET.replace("name: prod,", "name: dev,")
    found = problem(tmp_path, {"dev.yaml": other})
    assert (found.code, found.message) == (
        Code.TARGET_UNKNOWN,
        "The project has several DeploymentTargets: dev, prod.",
    )
    assert "--target" in found.fix


def test_an_unknown_target_names_the_nearest_one(tmp_path: Path) -> None:
    found = problem(tmp_path, {}, "prd")
    assert (found.code, found.fix) == (Code.TARGET_UNKNOWN, "did you mean prod?")
    assert "it has prod" in found.message


def test_a_project_without_targets_says_so(tmp_path: Path) -> None:
    with pytest.raises(NylError) as caught:
        select_target(declarations(tmp_path, {"cluster.yaml": CLUSTER}), None)
    assert "has no DeploymentTarget" in caught.value.diagnostic.message


def test_an_unknown_cluster_is_named_with_its_place(tmp_path: Path) -> None:
    found = problem(tmp_path, {"target.yaml": TARGET.replace("spec:\n", "spec:\n  clusterRef: {name: prd}\n")})
    assert (found.code, str(found.location)) == (Code.CLUSTER_UNKNOWN, "target.yaml:1")
    assert found.fix == "did you mean prod?"


def test_without_instances_each_target_has_a_local_argocd(tmp_path: Path) -> None:
    target = selected(tmp_path, {})
    assert (target.argocd.namespace, target.argocd_cluster, target.argocd.location) == ("argocd", "prod", None)


def test_the_only_instance_needs_no_name(tmp_path: Path) -> None:
    target = selected(tmp_path, {"argocd.yaml": ARGOCD})
    assert (target.argocd.name, target.argocd.namespace, target.argocd_cluster) == ("central", "cd", "prod")


def test_an_instance_of_another_cluster_lives_there(tmp_path: Path) -> None:
    files = {
        "argocd.yaml": ARGOCD.replace("{namespace", "{clusterRef: {name: management}, namespace"),
        "management.yaml": CLUSTER.replace("{name: prod}", "{name: management}"),
    }
    target = selected(tmp_path, files)
    assert (target.argocd_cluster, target.cluster.name) == ("management", "prod")


def test_one_of_several_instances_must_be_named(tmp_path: Path) -> None:
    files = {"argocd.yaml": f"{ARGOCD}---\n{ARGOCD.replace('central', 'other')}"}
    found = problem(tmp_path, files)
    assert (found.code, str(found.location)) == (Code.ARGOCD_UNKNOWN, "target.yaml:1")
    assert "central, other" in found.message
    named = TARGET.replace("spec:\n", "spec:\n  argocdRef: {name: other}\n")
    assert selected(tmp_path, {**files, "target.yaml": named}).argocd.name == "other"


@pytest.mark.parametrize("declared", [True, False])
def test_an_unknown_instance_is_named(tmp_path: Path, *, declared: bool) -> None:
    files = {"target.yaml": TARGET.replace("spec:\n", "spec:\n  argocdRef: {name: centrl}\n")}
    found = problem(tmp_path, {**files, "argocd.yaml": ARGOCD} if declared else files)
    assert found.code is Code.ARGOCD_UNKNOWN
    assert "centrl" in found.message


def test_an_instance_of_an_unknown_cluster_is_named_with_its_place(tmp_path: Path) -> None:
    found = problem(tmp_path, {"argocd.yaml": ARGOCD.replace("{namespace", "{clusterRef: {name: x}, namespace")})
    assert (found.code, str(found.location)) == (Code.CLUSTER_UNKNOWN, "argocd.yaml:1")


def test_an_empty_selector_selects_every_group(tmp_path: Path) -> None:
    other = GROUP.replace("{name: platform}", "{name: apps, labels: {stage: production, tier: a}}")
    found = declarations(tmp_path, {**PROJECT, "other.yaml": other})
    assert [each.name for each in selected_groups(found, found.targets["prod"])] == ["apps", "platform"]


def test_a_selector_selects_groups_with_all_its_labels(tmp_path: Path) -> None:
    other = GROUP.replace("{name: platform}", "{name: apps, labels: {stage: production, tier: a}}")
    target = TARGET.replace("spec:\n", "spec:\n  applicationGroupSelector: {matchLabels: {stage: production}}\n")
    found = declarations(tmp_path, {**PROJECT, "other.yaml": other, "target.yaml": target})
    assert [each.name for each in selected_groups(found, found.targets["prod"])] == ["apps"]
