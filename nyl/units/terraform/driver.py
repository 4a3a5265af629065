"""The drivers of Terraform and OpenTofu: units that are root modules, whose state a backend of the module keeps."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from nyl.core.strict_json import finite, no_constant
from nyl.project.records import UNITS
from nyl.units.driver import (
    Capability,
    ExecutionContext,
    ReceiptFacts,
    RecoveryPolicy,
    ResolvedUnit,
    TeardownOrder,
)
from nyl.units.inputs import Inputs
from nyl.units.outcomes import (
    AwaitingApproval,
    FailureCategory,
    NativeOutcome,
    Outcome,
    Planned,
    PlanOutcome,
    Removed,
    Succeeded,
    TeardownOutcome,
    Verified,
    VerifyOutcome,
)
from nyl.units.terraform.halts import Halt
from nyl.units.terraform.inputs import unit_inputs
from nyl.units.terraform.known_modules import known_declarations, remember
from nyl.units.terraform.plans import apply_plan, make_plan, plan_text, show_plan
from nyl.units.terraform.schema import unit_schema
from nyl.units.terraform.unsaved_states import kept_states
from nyl.units.terraform.workdir import Workdir, prepared

_MOST_NAMED = 3


class TerraformDriver:
    """Kind Terraform of units.gitops.nyl/v1."""

    api_version = UNITS
    kind = "Terraform"
    program = "terraform"
    behavior_version = 1
    default_timeout = timedelta(hours=1)
    reference_fields: tuple[str, ...] = ("/variables", "/backend")
    neutral_fields: tuple[str, ...] = ()

    def schema(self) -> Mapping[str, Any]:
        """JSON Schema of the kind's own spec fields."""
        return unit_schema(self.program)

    def capabilities(self, spec: Mapping[str, Any]) -> frozenset[Capability]:
        """It plans with digests, verifies and tears down."""
        return frozenset({Capability.PLAN, Capability.DIGEST, Capability.VERIFY, Capability.TEARDOWN})

    def recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        """The state tells the tool what there is already."""
        return RecoveryPolicy.CONVERGE

    def teardown_recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        """The state tells the tool what is left."""
        return RecoveryPolicy.CONVERGE

    def inputs(self, spec: Mapping[str, Any]) -> Inputs:
        """The files of the module, and those of variables."""
        return unit_inputs(spec)

    def plan(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> PlanOutcome:
        """What the tool plans now, whatever an earlier execution gave. It takes no lock."""
        return self._planned(unit, context, destroy=False)

    def plan_teardown(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> PlanOutcome:
        """What the tool plans to destroy. It takes no lock."""
        return self._planned(unit, context, destroy=True)

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        """Plans and applies that plan, unless another change than its own was approved, and reads the outputs."""
        try:
            return _executed(prepared(self.program, unit, context))
        except Halt as halt:
            return halt.with_effect

    def teardown(
        self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts, order: TeardownOrder
    ) -> TeardownOutcome:
        """Plans to destroy all, and applies that plan unless another one was approved. It never waits."""
        try:
            workdir = prepared(self.program, unit, context)
            plan = make_plan(workdir, destroy=True)
            shown = show_plan(workdir, plan)
            if context.approved_digest not in (None, shown.change.digest):
                return AwaitingApproval(shown.change.digest)
            apply_plan(workdir, plan, shown.module.version)
            return Removed()
        except Halt as halt:
            return halt.with_effect

    def verify(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> VerifyOutcome:
        """A plan that would change anything is drift."""
        try:
            workdir = prepared(self.program, unit, context)
            plan = make_plan(workdir)
            shown = show_plan(workdir, plan)
        except Halt as halt:
            return halt.without_effect
        return Verified(not plan.is_empty, "" if plan.is_empty else _told(shown.change.steps))

    def native(
        self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts, arguments: Sequence[str]
    ) -> NativeOutcome:
        """The tool with an operator's arguments, on the unit's initialised module, its state and variables."""
        try:
            workdir = prepared(self.program, unit, context)
            return replace(workdir.native(arguments), keeps=kept_states(workdir))
        except Halt as halt:
            return halt.without_effect

    def _planned(self, unit: ResolvedUnit, context: ExecutionContext, *, destroy: bool) -> PlanOutcome:
        try:
            workdir = prepared(self.program, unit, context)
            plan = make_plan(workdir, destroy=destroy, lock=False)
            shown = show_plan(workdir, plan)
            return Planned(plan_text(workdir, plan), shown.change.digest)
        except Halt as halt:
            return halt.without_effect


class OpenTofuDriver(TerraformDriver):
    """Kind OpenTofu of units.gitops.nyl/v1."""

    kind = "OpenTofu"
    program = "tofu"


def _executed(workdir: Workdir) -> Succeeded | AwaitingApproval:
    """Applies what the tool plans, unless another change was approved, and reads the outputs. Raises Halt."""
    plan, approved = make_plan(workdir), workdir.context.approved_digest
    # An empty plan is looked at all the same: something that changes exit codes must not keep a change from being made.
    module = known_declarations(workdir) if approved is None and not plan.is_empty else None
    if module is None:
        shown = show_plan(workdir, plan)
        if approved not in (None, shown.change.digest):
            return AwaitingApproval(shown.change.digest)
        module = shown.module
        remember(workdir, module)
    told = apply_plan(workdir, plan, module.version)
    return Succeeded(_outputs(workdir, told), versions={workdir.binary.program: module.version})


def _outputs(workdir: Workdir, told: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values of the outputs that the unit declares; the tool is asked unless its apply told them all."""
    declared = workdir.unit.outputs
    if not told.keys() >= declared.keys():
        told = _asked_outputs(workdir)
    return {name: told[name] for name in declared if name in told}


def _asked_outputs(workdir: Workdir) -> Mapping[str, Any]:
    found = workdir.read_json("output", "-json", "-no-color", parse_float=finite, parse_constant=no_constant)
    try:
        return {name: each["value"] for name, each in found.items()}
    except (AttributeError, KeyError, TypeError):
        what = f"{workdir.binary.program} output -json printed something else than outputs"
        raise Halt(what, FailureCategory.OUTPUTS) from None


def _told(steps: tuple[str, ...]) -> str:
    more = len(steps) - _MOST_NAMED
    return ", ".join([*steps[:_MOST_NAMED], *([f"and {more} more"] if more > 0 else [])]) or "its plan is not empty"
