"""The driver of KubernetesPublication. What it does is in the modules beside this one."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from nyl.project.discovery import Project
from nyl.project.records import UNITS
from nyl.units.completion import Completion, Expansion
from nyl.units.driver import Capability, ExecutionContext, ReceiptFacts, RecoveryPolicy, ResolvedUnit, TeardownOrder
from nyl.units.inputs import Inputs
from nyl.units.outcomes import Outcome, PlanOutcome, TeardownOutcome, VerifyOutcome
from nyl.units.publication.answers import Answers
from nyl.units.publication.expansion import expand
from nyl.units.publication.releases import RELEASES
from nyl.units.publication.waiting import TEARDOWN_WAIT_SCHEMA
from nyl.units.source_project import SourceProject

# What renders and publishes is imported when it is first needed: most commands only look at what is known.


class KubernetesPublicationDriver:
    """Kind KubernetesPublication of units.gitops.nyl/v1."""

    api_version = UNITS
    kind = "KubernetesPublication"
    behavior_version = 1
    default_timeout = timedelta(minutes=10)
    reference_fields: tuple[str, ...] = (f"/{RELEASES}",)
    neutral_fields: tuple[str, ...] = ("mode", "teardownWait")

    def schema(self) -> Mapping[str, Any]:
        """JSON Schema of the kind's own spec fields. The inputs of Releases come from the target's bindings."""
        return {
            "type": "object",
            "properties": {
                "target": {"type": "string", "minLength": 1, "description": "Name of the DeploymentTarget to publish."},
                "mode": {"type": "string", "enum": ["publish"], "description": "`publish`, which is the default."},
                "teardownWait": TEARDOWN_WAIT_SCHEMA,
                RELEASES: {
                    "not": {},
                    "x-reason": "must be left out: it comes from the bindings of the target",
                    "description": "Not to be written: it comes from the bindings of the target.",
                },
            },
            "required": ["target"],
        }

    def capabilities(self, spec: Mapping[str, Any]) -> frozenset[Capability]:
        """A publication is planned, with a digest of its change, verified, and torn down."""
        return frozenset({Capability.PLAN, Capability.DIGEST, Capability.VERIFY, Capability.TEARDOWN})

    def recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        """Publishing again settles whatever became of an earlier try."""
        return RecoveryPolicy.CONVERGE

    def inputs(self, spec: Mapping[str, Any]) -> Inputs:
        """No files: a tree is rendered from the commit itself, so that it needs one, and no checkout of it."""
        return Inputs(private=True, requires_commit=True)

    def expand(self, spec: Mapping[str, Any], project: Project) -> Expansion:
        """Adds the references of the target's bindings. Raises NYL-TARGET-UNKNOWN and NYL-RESOURCE-INVALID."""
        return expand(spec, project)

    def complete(self, unit: ResolvedUnit, source: SourceProject) -> Completion:
        """Adds the effective inputs of all Releases. Raises what rendering the target raises."""
        answers = Answers(unit.spec, source)
        known = answers.recall()
        if known is not None:
            return known
        from nyl.units.publication.resolution import work_out

        return work_out(answers, source)

    def recall(self, unit: ResolvedUnit, source: SourceProject) -> Completion | None:
        """The same where it was found out before."""
        return Answers(unit.spec, source).recall()

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        """Publishes the tree; no commit where nothing changes."""
        from nyl.units.publication.publishing import execute

        return execute(unit, context)

    def plan(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> PlanOutcome:
        """What publishing would change of the branch."""
        from nyl.units.publication.publishing import plan

        return plan(unit, context, receipt)

    def plan_teardown(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> PlanOutcome:
        """What a teardown would remove of the branch."""
        from nyl.units.publication.teardown import plan_teardown

        return plan_teardown(unit, context, receipt)

    def teardown_recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        """Looking at the branch again settles whatever became of an earlier try."""
        return RecoveryPolicy.CONVERGE

    def teardown(
        self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts, order: TeardownOrder
    ) -> TeardownOutcome:
        """Removes the Applications, waits as `teardownWait` says, and removes the rest of the tree."""
        from nyl.units.publication.teardown import tear_down

        return tear_down(unit, context, receipt, order)

    def verify(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> VerifyOutcome:
        """Whether the tree is on its branch, as it was left there."""
        from nyl.units.publication.verification import verify

        return verify(unit, context, receipt)
