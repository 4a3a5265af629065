"""A kind that tells what it was given to see."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nyl.units.driver import Capability, ExecutionContext, ReceiptFacts, RecoveryPolicy, ResolvedUnit
from nyl.units.inputs import InputFiles, Inputs
from nyl.units.outcomes import (
    Failed,
    FailureCategory,
    InspectOutcome,
    NotApplied,
    Outcome,
    Succeeded,
    Uncertain,
    Unknown,
)
from nyl.units.sources import SOURCE_SCHEMA, source_field
from nyl_test_drivers.base import GROUP, TestDriver

_FINDINGS = ("applied", "not-applied", "unknown", "raise")
_OUTCOMES = ("succeed", "fail", "fail-retryable", "uncertain", "raise")


class Probe(TestDriver):
    """Records which files its private checkouts hold.

    Outputs, of which a unit declares those it wants: `files` (array of `<pointer>:<path>`), `digest` (of all files),
    `values`. Artifact `seen`, when `artifact` is true: the values, and the digest of every file by checkout and path.
    `command` is run first, in the checkout. `outcome` decides how the execution ends, `inspect` what is found when an
    uncertain one is looked at.
    """

    kind = "Probe"
    neutral_fields: tuple[str, ...] = ("outcome", "inspect", "artifact")

    def schema(self) -> Mapping[str, Any]:
        argv = {"type": "array", "minItems": 1, "items": {"type": "string"}}
        return {
            "type": "object",
            "properties": {
                "source": SOURCE_SCHEMA,
                "contexts": {"type": "object", "additionalProperties": SOURCE_SCHEMA},
                "values": {"type": "object"},
                "command": argv,
                "outcome": {"enum": list(_OUTCOMES)},
                "artifact": {"type": "boolean"},
                "inspect": {"enum": list(_FINDINGS)},
            },
            "required": [],
        }

    def capabilities(self, spec: Mapping[str, Any]) -> frozenset[Capability]:
        return frozenset({Capability.INSPECT}) if spec.get("inspect") else frozenset()

    def recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        return RecoveryPolicy.INSPECT if spec.get("inspect") else RecoveryPolicy.CONVERGE

    def inputs(self, spec: Mapping[str, Any]) -> Inputs:
        """The files at and below every source's path, and nothing else."""
        fields = {f"/contexts/{name}": value for name, value in spec.get("contexts", {}).items()}
        if "source" in spec:
            fields["/source"] = spec["source"]
        sources = tuple(source_field(pointer, value) for pointer, value in sorted(fields.items()))
        return Inputs(
            sources=sources,
            files=tuple(InputFiles((f"{each.path}", f"{each.path}/**"), each.pointer) for each in sources),
            private=bool(sources),
        )

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        if "command" in unit.spec:
            result = context.run(unit.spec["command"])
            if result.exit_code != 0:
                return Uncertain("the probe's command did not end with exit code 0")
        match unit.spec.get("outcome", "succeed"):
            case "fail" | "fail-retryable" as outcome:
                return Failed(FailureCategory.EXECUTION, outcome == "fail-retryable", "the probe was told to fail")
            case "uncertain":
                return Uncertain("the probe was told to be uncertain")
            case "raise":
                raise RuntimeError("the probe was told to raise")
        return _succeed(unit, context)

    def inspect(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> InspectOutcome:
        """Finds what it was told to find."""
        match unit.spec["inspect"]:
            case "applied":
                return _succeed(unit, context)
            case "not-applied":
                return NotApplied()
            case "raise":
                raise RuntimeError("the probe was told to raise")
        return Unknown("the probe was told not to know")


def _succeed(unit: ResolvedUnit, context: ExecutionContext) -> Succeeded:
    seen = {pointer: _digests(folder) for pointer, folder in sorted(context.checkouts.items())}
    values = dict(unit.spec.get("values", {}))
    files = [f"{pointer}:{path}" for pointer, paths in seen.items() for path in paths]
    digest = hashlib.sha256(repr(seen).encode()).hexdigest()
    known = {"files": files, "digest": digest, "values": values}
    outputs = {name: value for name, value in known.items() if name in unit.outputs}
    header = {"apiVersion": GROUP, "kind": "Seen"}
    artifacts = {"seen": {**header, "values": values, "files": seen}} if unit.spec.get("artifact") else {}
    return Succeeded(outputs, artifacts, {"probe": "1.0"})


def _digests(folder: Path) -> dict[str, str]:
    """Every file below a checkout, Git's own left out."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }
