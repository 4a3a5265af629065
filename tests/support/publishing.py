"""The driver of KubernetesPublication at work on a project's branch, without a run around it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from nyl.core.clock import Clock
from nyl.engine.source_projects import SourceProjects
from nyl.engine.workspace import Workspace
from nyl.kubernetes.publication.branch import PublishedFolder
from nyl.kubernetes.resources import Publication
from nyl.units import execution
from nyl.units.completion import Completion
from nyl.units.context import UnitContext, private_folder
from nyl.units.driver import ReceiptFacts, ResolvedUnit
from nyl.units.outcomes import Outcome, PlanOutcome, Succeeded, VerifyOutcome
from nyl.units.publication.driver import KubernetesPublicationDriver
from nyl.units.publication.releases import RELEASES
from nyl.units.source_project import Incarnation, SourceProject
from tests.git.building import PatientClock
from tests.support.tree_worlds import TreeWorld
from tests.support.world import World

DRIVER = KubernetesPublicationDriver()
UID = "01a22cd2-d27c-76a2-a77c-22c1ab25f66c"
GONE = Incarnation(False)


def laid(world: World) -> World:
    """A target whose Release has an image, committed; nothing is published."""
    TreeWorld(world.tmp).with_image().commit()
    return world


@dataclass
class Publisher:
    """Unit `kubernetes` of `dev`, or of another environment, which publishes the target `prod` of a world."""

    world: TreeWorld
    environment: str = "dev"
    uid: str = UID
    spec: Mapping[str, Any] = field(default_factory=lambda: {"target": "prod"})
    values: Mapping[str, Any] = field(default_factory=dict)
    """Input of `platform/web` -> what the unit that it is bound to gives."""
    others: Mapping[str, Incarnation] = field(default_factory=dict)
    """The incarnations that there are, by their uids."""
    seconds: float = 60
    clock: Clock = field(default_factory=PatientClock)
    told: list[Any] = field(default_factory=list)
    opened: list[str | None] = field(default_factory=list)
    """The heads of the branch that were read."""

    def source(self, commit: str | None = None) -> SourceProject:
        """The project at a commit, HEAD by default, as a new invocation sees it."""
        workspace = Workspace.open(self.world.project, self.world.environ, self.clock, self.told.append)
        source = SourceProjects(workspace).at(commit or self.world.git("rev-parse", "HEAD"))

        def publication(wanted: Publication) -> PublishedFolder:
            found = source.open_publication(wanted)
            self.opened.append(found.commit)
            return found

        return replace(
            source,
            open_publication=publication,
            incarnation=lambda index: self.others.get(index.owner.uid if index.owner else "", GONE),
        )

    def complete(self, source: SourceProject | None = None) -> Completion:
        """The unit as it is resolved."""
        return DRIVER.complete(self._unit(self._resolved), source or self.source())

    def execute(
        self, completion: Completion | None = None, source: SourceProject | None = None, **context: Any
    ) -> Outcome:
        """Publishes what was resolved. The fields of the receipt and of the context can be given."""
        found = source or self.source()
        completed = completion or self.complete(found)
        receipt = context.pop("receipt", ReceiptFacts(uid=self.uid))
        return self._act(
            found, completed, context | {"receipt": receipt}, lambda unit, it: execution.execute(DRIVER, unit, it)
        )

    def publish(self, **context: Any) -> Mapping[str, Any]:
        """The artifact of a publication that succeeds."""
        outcome = self.execute(**context)
        assert isinstance(outcome, Succeeded), outcome
        artifact: Mapping[str, Any] = outcome.artifacts["tree"]
        return artifact

    def plan(self, receipt: ReceiptFacts | None = None) -> PlanOutcome:
        """What publishing would change."""
        source, known = self.source(), receipt or ReceiptFacts(uid=self.uid)
        return self._act(source, self.complete(source), {}, lambda unit, it: execution.plan(DRIVER, unit, it, known))

    def verify(self, artifact: Mapping[str, Any] | None = None) -> VerifyOutcome:
        """Whether the tree is as it was published."""
        source = self.source()
        known = ReceiptFacts(artifacts={"tree": artifact} if artifact else {}, uid=self.uid)
        return self._act(source, self.complete(source), {}, lambda unit, it: execution.verify(DRIVER, unit, it, known))

    @property
    def _resolved(self) -> Mapping[str, Any]:
        return {**self.spec, RELEASES: {"platform/web": dict(self.values)}} if self.values else self.spec

    def _unit(self, spec: Mapping[str, Any]) -> ResolvedUnit:
        timeout = timedelta(seconds=self.seconds)
        return ResolvedUnit(self.environment, "kubernetes", DRIVER.kind, spec, {}, timeout)

    def _act(self, source: SourceProject, completion: Completion, fields: Mapping[str, Any], act: Any) -> Any:
        with private_folder() as temporary:
            context = UnitContext(
                checkout=Path("/nowhere"),
                temporary=temporary,
                variables={},
                source=source,
                fingerprint=completion.fingerprint,
                **fields,
            )
            outcome = act(self._unit(completion.spec), context)
            self.warnings = [each.message for each in context.warnings]
            return outcome
