"""A publication of two Applications on a real branch, and its driver's teardown called as the engine calls it."""

import json
import os
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from nyl.kubernetes.index import IndexOwner
from nyl.kubernetes.publication.branch import PublishedFolder
from nyl.kubernetes.publication.landing import Committer
from nyl.kubernetes.publication.publishing import publish, published_update
from nyl.kubernetes.resources import Publication
from nyl.units.driver import ReceiptFacts, ResolvedUnit, TeardownOrder
from nyl.units.execution import plan_teardown, tear_down
from nyl.units.outcomes import PlanOutcome, TeardownOutcome, Waiting
from nyl.units.publication.driver import KubernetesPublicationDriver
from nyl.units.source_project import Incarnation, SourceProject
from tests.git.building import ME, Scene
from tests.support.argo_api import CONTEXT
from tests.support.deploy_branches import PUBLISHER, DeployBranch
from tests.support.kubernetes_project import CLUSTER, GROUP, RELEASE, REPOSITORY, TARGET
from tests.support.kubernetes_session import Site
from tests.units.building import Bench

UID = "uid-kubernetes"
OWNER = IndexOwner("dev", UID)
APPLICATIONS = ("argocd/api", "argocd/web")
CATALOG = "prod/_nyl/catalog/application.argoproj.io/argocd"
CHILDREN = frozenset({f"{CATALOG}/api.yaml", f"{CATALOG}/web.yaml"})
SETTINGS = "prod/platform/web/configmap/web/settings.yaml"
DRIVER = KubernetesPublicationDriver()
START = 1_790_000_000
"""When its clock starts, in seconds since the epoch."""

FILES: Mapping[str, str | bytes] = {
    "cluster.yaml": CLUSTER + f"  live: {{context: {CONTEXT}}}\n",
    "target.yaml": TARGET,
    "repository.yaml": REPOSITORY,
    "group.yaml": GROUP,
    "applications/platform/web.yaml": RELEASE,
    "applications/platform/api.yaml": RELEASE.replace("name: web, namespace: web", "name: api, namespace: api"),
}


class TeardownBench(Bench):
    """Its clock stands still until a test moves it. What a teardown waits with goes into the next one."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.site = Site(folder / "site", FILES)
        self.branch = DeployBranch(Scene(folder / "git"), "prod")
        self.seconds = START
        self.kubeconfig = folder / "kubeconfig"
        self.receipt = ReceiptFacts(uid=UID)
        self.progress: Mapping[str, Any] | None = None
        self.context.source = self.source()
        self.context.variables = {
            **self.context.variables,
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "KUBECONFIG": str(self.kubeconfig),
        }

    def source(self) -> SourceProject:
        """The project as it is now."""
        return SourceProject(
            open_project=lambda: self.site.session().project,
            open_session=self.site.session,
            open_publication=self.open,
            own_url=None,
            committer=lambda: Committer(ME, self.seconds),
            incarnation=lambda index: Incarnation(exists=True),
            open_tree=lambda: self.site.session().tree,
            cache=self.site.cache,
        )

    def open(self, _: Publication) -> PublishedFolder:
        """The branch as it is now."""
        return self.branch.read()

    def publish(self, owner: IndexOwner | None = OWNER) -> str:
        """Publishes the tree as an execution does, and keeps its receipt; the commit."""
        tree, published = self.site.compile(), self.branch.read()
        commit = publish(tree, published_update(tree, published, owner), published, PUBLISHER)
        self.receipt = ReceiptFacts(artifacts={"tree": {"commit": commit or published.commit}}, uid=UID)
        return str(commit)

    @property
    def files(self) -> frozenset[str]:
        """The files of the branch."""
        return frozenset(self.branch.entries()) if self.branch.head else frozenset()

    def application_texts(self) -> list[str]:
        """The published manifests of the Applications."""
        return [text for path, text in self.branch.files().items() if path.startswith(CATALOG)]

    def down(self, wait: Mapping[str, Any] | None = None, seconds: float = 600, **order: bool) -> TeardownOutcome:
        """One step of a teardown, with `teardownWait`; the next one goes on from it."""
        answer = tear_down(
            DRIVER, self.unit(wait, seconds), self.context, self.receipt, TeardownOrder(self.progress, **order)
        )
        if isinstance(answer, Waiting):
            self.progress = json.loads(json.dumps(answer.progress))
        self.context.deadline = None
        return answer

    def planned(self, wait: Mapping[str, Any] | None = None) -> PlanOutcome:
        """What a teardown would remove."""
        return plan_teardown(DRIVER, self.unit(wait), self.context, self.receipt)

    @staticmethod
    def unit(wait: Mapping[str, Any] | None = None, seconds: float = 600) -> ResolvedUnit:
        """The unit as the engine gives it to its driver."""
        spec = {"target": "prod", "releases": {}, **({"teardownWait": wait} if wait else {})}
        return ResolvedUnit("dev", "kubernetes", DRIVER.kind, spec, {}, timedelta(seconds=seconds))
