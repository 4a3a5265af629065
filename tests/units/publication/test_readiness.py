"""Page Deletion and holds, Publication teardown waits: what a target's settings must be, as a table."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from nyl.kubernetes.target_plan import plan_target
from nyl.units.publication.readiness import TeardownSettings, teardown_settings, unmet_requirements
from nyl.units.publication.waiting import WaitPolicy, WaitStrategy
from tests.support.kubernetes_project import CLUSTER, GROUP, PROJECT, TARGET
from tests.support.kubernetes_session import Site

READY = TeardownSettings("prod", argocd_cluster="ops", context="ops")
MANUAL, DELAY, OBSERVE = (WaitPolicy(each) for each in WaitStrategy)


@pytest.mark.parametrize(
    ("settings", "policy", "unmet"),
    [
        (READY, MANUAL, []),
        (READY, DELAY, []),
        (READY, OBSERVE, []),
        (replace(READY, orphaning=("platform",)), MANUAL, ["ApplicationGroup platform is Orphan"]),
        (
            replace(READY, orphaning=("a", "b")),
            OBSERVE,
            ["ApplicationGroup a is Orphan", "ApplicationGroup b is Orphan"],
        ),
        (replace(READY, prunes=False), MANUAL, ["has no syncPolicy.automated.prune"]),
        (replace(READY, prunes=False), DELAY, ["has no syncPolicy.automated.prune"]),
        (replace(READY, has_catalog=False, prunes=False), MANUAL, []),
        (replace(READY, has_catalog=False, prunes=False), OBSERVE, []),
        (replace(READY, has_catalog=False, prunes=False), DELAY, ["DeploymentTarget prod has no catalog Application"]),
        (replace(READY, context=None), MANUAL, []),
        (replace(READY, context=None), DELAY, []),
        (replace(READY, context=None), OBSERVE, ["Cluster ops has no live.context"]),
        (
            replace(READY, context=None, prunes=False, orphaning=("a",)),
            OBSERVE,
            ["ApplicationGroup a is Orphan", "has no syncPolicy.automated.prune", "Cluster ops has no live.context"],
        ),
    ],
)
def test_what_keeps_a_teardown_from_completing(
    settings: TeardownSettings, policy: WaitPolicy, unmet: list[str]
) -> None:
    found = unmet_requirements(settings, policy)
    assert len(found) == len(unmet)
    assert [part for part, told in zip(unmet, found, strict=True) if part not in told] == []
    assert not any(told.endswith(".") for told in found)


def settings(tmp_path: Path, files: Mapping[str, str] | None = None) -> TeardownSettings:
    session = Site(tmp_path, {**PROJECT, **(files or {})}).session()
    return teardown_settings(plan_target(session, session.declarations.targets["prod"]), session.declarations)


def test_a_target_as_it_is_by_default_can_be_torn_down(tmp_path: Path) -> None:
    assert settings(tmp_path) == TeardownSettings("prod", argocd_cluster="prod")


@pytest.mark.parametrize(
    ("files", "changed"),
    [
        ({"group.yaml": GROUP.replace("{}", "{applicationDeletionPolicy: Orphan}")}, {"orphaning": ("platform",)}),
        ({"group.yaml": GROUP.replace("{}", "{applicationDeletionPolicy: Orphan, enabled: false}")}, {}),
        ({"group.yaml": GROUP.replace("{}", "{applicationDeletionPolicy: Background}")}, {}),
        ({"target.yaml": TARGET + "  catalogApplication: {enabled: false}\n"}, {"has_catalog": False, "prunes": False}),
        ({"target.yaml": TARGET + "  catalogApplication: {syncPolicy: {}}\n"}, {"prunes": False}),
        ({"target.yaml": TARGET + "  catalogApplication: {syncPolicy: {automated: {}}}\n"}, {"prunes": False}),
        ({"target.yaml": TARGET + "  catalogApplication: {syncPolicy: {automated: {prune: true}}}\n"}, {}),
        ({"cluster.yaml": CLUSTER + "  live: {context: ops}\n"}, {"context": "ops"}),
    ],
)
def test_the_settings_are_those_of_the_target_its_groups_and_its_argo_cd(
    tmp_path: Path, files: Mapping[str, str], changed: Mapping[str, object]
) -> None:
    assert settings(tmp_path, files) == replace(TeardownSettings("prod", argocd_cluster="prod"), **changed)  # type: ignore[arg-type]


def test_an_argo_cd_elsewhere_is_looked_at_there_and_its_defaults_count(tmp_path: Path) -> None:
    ops = CLUSTER.replace("{name: prod}", "{name: ops}") + "  live: {context: ops}\n"
    instance = (
        "apiVersion: k8s.gitops.nyl/v1\nkind: ArgoCDInstance\nmetadata: {name: main}\n"
        "spec: {clusterRef: {name: ops}, catalogApplicationDefaults: {syncPolicy: {automated: {selfHeal: true}}}}\n"
    )
    found = settings(tmp_path, {"ops.yaml": ops, "argocd.yaml": instance})
    assert (found.argocd_cluster, found.context, found.prunes) == ("ops", "ops", False)
