"""Kubernetes projects on disk: the resources of the guide, small enough to read in a test."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from nyl.core.cache import Cache
from nyl.core.diagnostics import Diagnostic, NylError
from nyl.git.status import Changed, ChangeKind
from nyl.kubernetes.declarations import Declarations
from nyl.project.config import load_config
from nyl.project.discovery import Project, discover
from nyl.project.trees import WorktreeTree
from nyl.units.registry import DriverRegistry

CLUSTER = """\
apiVersion: k8s.gitops.nyl/v1
kind: Cluster
metadata: {name: prod}
spec:
  destination: {server: https://kubernetes.default.svc}
  kubernetes: {kubeVersion: v1.31.4, apiVersions: [monitoring.coreos.com/v1]}
  values: {region: eu, sizes: {small: 1, large: 4}}
"""

TARGET = """\
apiVersion: k8s.gitops.nyl/v1
kind: DeploymentTarget
metadata: {name: prod, labels: {stage: production}}
spec:
  values: {sizes: {large: 8}}
  publication: {repositoryRef: {name: deploy}, revision: deploy}
"""

REPOSITORY = """\
apiVersion: gitops.nyl/v1
kind: GitRepository
metadata: {name: deploy}
spec: {repoURL: https://git.example.com/team/deploy.git}
"""

GROUP = """\
apiVersion: k8s.gitops.nyl/v1
kind: ApplicationGroup
metadata: {name: platform}
spec: {}
"""

RELEASE = """\
apiVersion: k8s.nyl/v1
kind: Release
metadata: {name: web, namespace: web}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {region: "{{ values.region }}"}
"""

PROJECT_DEFINITION = """\
apiVersion: k8s.gitops.nyl/v1
kind: AppProjectDefinition
metadata: {name: workloads}
spec:
  management: Rendered
  manifest: {apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: workloads}}
"""
PROJECT: Mapping[str, str | bytes] = {
    "cluster.yaml": CLUSTER,
    "target.yaml": TARGET,
    "repository.yaml": REPOSITORY,
    "group.yaml": GROUP,
    "applications/platform/web.yaml": RELEASE,
}
"""One Release of one group on one target."""


def kubernetes_project(root: Path, files: Mapping[str, str | bytes] = PROJECT, config: str = "") -> Project:
    """The project of some new files, without a repository."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    tree = WorktreeTree(root, None, {name: Changed(ChangeKind.UNTRACKED) for name in files}, "")
    return discover(tree, load_config(config.encode()), DriverRegistry(), Cache(None))


def declarations(root: Path, files: Mapping[str, str | bytes] = PROJECT, config: str = "") -> Declarations:
    """What the project of some new files declares of Kubernetes."""
    return Declarations.of(kubernetes_project(root, files, config))


def declared_problems(root: Path, files: Mapping[str, str | bytes], config: str = "") -> list[Diagnostic]:
    """What is wrong with the declarations of some new files."""
    with pytest.raises(NylError) as caught:
        declarations(root, files, config)
    return list(caught.value.diagnostics)
