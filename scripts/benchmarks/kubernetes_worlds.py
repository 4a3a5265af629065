"""Kubernetes projects: Releases of ten plain resources as floor_render.py has them, and Releases of a chart each."""

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scripts.benchmarks.checkouts import Checkout
from scripts.benchmarks.measure import Program
from scripts.benchmarks.workloads import ENVIRONMENT
from tests.support.environment import clean_environment

_TOOLS = Path(__file__).parents[2] / ".tools" / "helm3"

_KINDS = {
    "Deployment": "apps/v1",
    "Service": "v1",
    "ConfigMap": "v1",
    "ServiceAccount": "v1",
    "Role": "rbac.authorization.k8s.io/v1",
    "RoleBinding": "rbac.authorization.k8s.io/v1",
    "Ingress": "networking.k8s.io/v1",
    "NetworkPolicy": "networking.k8s.io/v1",
    "HorizontalPodAutoscaler": "autoscaling/v2",
    "PodDisruptionBudget": "policy/v1",
}

_TARGET = """\
apiVersion: k8s.gitops.nyl/v1
kind: Cluster
metadata: {name: bench}
spec:
  destination: {server: https://kubernetes.default.svc}
  values: {tier: web, registry: registry.example}
---
apiVersion: k8s.gitops.nyl/v1
kind: DeploymentTarget
metadata: {name: bench}
spec:
  publication: {revision: rendered}
"""

_GROUP = """\
apiVersion: k8s.gitops.nyl/v1
kind: ApplicationGroup
metadata: {name: bench}
spec:
  sharedNamespaces:
"""

_RELEASE = """\
apiVersion: k8s.nyl/v1
kind: Release
metadata: {{name: {name}, namespace: {namespace}}}
"""

_RESOURCE = """\
---
apiVersion: {api_version}
kind: {kind}
metadata:
  name: {name}
  labels:
    app.kubernetes.io/name: {name}
    app.kubernetes.io/managed-by: bench
    team: "t{team}"
    tier: {{{{ values.tier }}}}
spec:
  replicas: {replicas}
  selector:
    matchLabels:
      app: {name}
  template:
    spec:
      containers:
        - name: main
          image: {{{{ values.registry }}}}/app:v{number}
          ports:
            - containerPort: 8080
            - containerPort: 9090
"""

_UNIT = """\
---
apiVersion: units.gitops.nyl/v1
kind: KubernetesPublication
metadata: {name: kubernetes}
spec: {target: bench, mode: publish}
"""

_CHART = """\
---
apiVersion: k8s.nyl/v1
kind: HelmChart
metadata: {{name: {name}}}
spec: {{chart: {{name: {name}}}}}
"""


@dataclass(frozen=True)
class KubernetesWorld(Checkout):
    """A laid project: `folder/work`, with its bare remote, which it is published to, beside it."""

    @classmethod
    def plain(cls, folder: Path, executable: Path, releases: int) -> "KubernetesWorld":
        """Lays Releases of ten resources each, in ten namespaces."""
        return cls._laid(folder, executable, lambda work: _write_plain(work, releases))

    @classmethod
    def with_unit(cls, folder: Path, executable: Path, releases: int) -> "KubernetesWorld":
        """Lays the same Releases, and a unit of the environment `bench` that publishes them; its state is there."""

        def files(work: Path) -> None:
            _write_plain(work, releases)
            (work / "bench.yaml").write_text(ENVIRONMENT + _UNIT)

        world = cls._laid(folder, executable, files)
        world.git("push", "-q", "origin", "main")
        world.git("remote", "set-head", "origin", "main")  # as a clone has it
        world._program("state", "init", "-e", "bench").once()
        return world

    @classmethod
    def charts(cls, folder: Path, executable: Path, generator: Path, charts: int) -> "KubernetesWorld":
        """Lays Releases of one local chart each, as a generator writes the charts."""

        def files(work: Path) -> None:
            _write_group(work, ["charts"])
            argv = [sys.executable, str(generator), "helm", str(charts), str(work / "charts")]
            subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
            for number in range(charts):
                name = f"c{number:03}"
                text = _RELEASE.format(name=name, namespace="charts") + _CHART.format(name=name)
                (work / "applications" / "bench" / f"{name}.yaml").write_text(text)

        return cls._laid(folder, executable, files)

    @classmethod
    def _laid(cls, folder: Path, executable: Path, files: Callable[[Path], None]) -> "KubernetesWorld":
        shutil.rmtree(folder, ignore_errors=True)
        environ = clean_environment(folder / "home") | {
            "PATH": f"{executable.parent}:{_TOOLS}:/usr/local/bin:/usr/bin:/bin",
            "TMPDIR": str(executable.parents[2]),
        }
        world = cls(folder, executable, environ)
        (world.work / "applications" / "bench").mkdir(parents=True)
        (world.work / "nyl.toml").touch()
        (world.work / ".gitignore").write_text(".nyl/\nrendered/\n")
        (world.work / "target.yaml").write_text(_TARGET)
        files(world.work)
        world.declare()
        return world

    def publish(self) -> Program:
        """A publication."""
        return self._program("publish-tree")

    def reconcile(self) -> Program:
        """A run of the environment with the unit."""
        return self._program("reconcile", "-e", "bench", "--quiet-unit-output", "--progress", "plain")

    def render(self) -> Program:
        """Writing the tree into a folder."""
        return self._program("render-tree", "--output-dir", "rendered")

    def diff(self) -> Program:
        """A comparison with what is published."""
        return self._program("diff-tree")

    def helm(self) -> Program:
        """`helm template` of every chart, four at a time."""
        template = "ls charts | xargs -P 4 -I{} helm template {} charts/{} --namespace charts --include-crds"
        return Program(("sh", "-c", template), self.work, self.environ)

    def change_one(self, version: int) -> None:
        """Commits another image of one Release; `version` is one that was not there before."""
        file = self.work / "applications" / "bench" / "r0000.yaml"
        file.write_text(_plain_release(0).replace("app:v0", f"app:changed-{version}"))
        self.git("commit", "-qam", "Change one Release")

    def commit_unrelated(self) -> None:
        """Commits and pushes a change of a file that no Release reads."""
        (self.work / "notes.txt").write_text(f"{time.monotonic_ns()}\n")
        self.git("add", "notes.txt")
        self.git("commit", "-qm", "Change the notes")
        self.git("push", "-q", "origin", "main")

    def forget(self) -> None:
        """Makes the next rendering into a folder a cold one."""
        for each in (".nyl", "rendered"):
            shutil.rmtree(self.work / each, ignore_errors=True)

    def _program(self, *arguments: str) -> Program:
        return Program((str(self.executable), *arguments), self.work, self.environ)


def _write_group(work: Path, namespaces: list[str]) -> None:
    shared = "".join(f"    {each}: {{owner: {{kind: External}}}}\n" for each in namespaces)
    (work / "group.yaml").write_text(_GROUP + shared)


def _write_plain(work: Path, releases: int) -> None:
    _write_group(work, [f"ns{number}" for number in range(10)])
    for number in range(releases):
        (work / "applications" / "bench" / f"r{number:04}.yaml").write_text(_plain_release(number))


def _plain_release(number: int) -> str:
    return "".join(_documents(number))


def _documents(number: int) -> Iterator[str]:
    name = f"r{number:04}"
    yield _RELEASE.format(name=name, namespace=f"ns{number % 10}")
    for kind, api_version in _KINDS.items():
        yield _RESOURCE.format(
            api_version=api_version, kind=kind, name=name, number=number, team=number % 7, replicas=number % 5
        )
