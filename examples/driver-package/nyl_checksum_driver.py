"""An example of a driver: `Checksum` gives the SHA-256 of a folder, and can publish it in a file.

apiVersion: checksum.example.com/v1
kind: Checksum
metadata: {name: assets}
spec:
  folder: assets
  publish: /srv/checksums/assets
  outputs: {sha256: {type: string}}
"""

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from nyl.units.driver import (
    Capability,
    Driver,
    ExecutionContext,
    ReceiptFacts,
    RecoveryPolicy,
    ResolvedUnit,
    TeardownOrder,
)
from nyl.units.inputs import InputFiles, Inputs
from nyl.units.outcomes import (
    AwaitingApproval,
    Failed,
    FailureCategory,
    Outcome,
    Planned,
    PlanOutcome,
    Removed,
    Succeeded,
    TeardownOutcome,
    Verified,
    VerifyOutcome,
)

_LOOKED_AFTER = frozenset({Capability.PLAN, Capability.DIGEST, Capability.VERIFY, Capability.TEARDOWN})


class Checksum:
    """Writes one file as a whole, so running it again is always safe."""

    api_version = "checksum.example.com/v1"
    kind = "Checksum"
    behavior_version = 1
    default_timeout = timedelta(minutes=5)
    reference_fields: tuple[str, ...] = ("/publish",)
    neutral_fields: tuple[str, ...] = ()

    def schema(self) -> Mapping[str, Any]:
        """The kind's own fields; nyl adds those that every kind has."""
        folder = {"type": "string", "pattern": "^[^/.][^/]*(/[^/.][^/]*)*$"}
        publish = {"type": "string", "pattern": "^/", "description": "A file to write the checksum to."}
        return {"type": "object", "properties": {"folder": folder, "publish": publish}, "required": ["folder"]}

    def capabilities(self, spec: Mapping[str, Any]) -> frozenset[Capability]:
        """Only what is published can be planned and looked after."""
        return _LOOKED_AFTER if "publish" in spec else frozenset()

    def recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        """An interrupted execution may simply run again."""
        return RecoveryPolicy.CONVERGE

    def teardown_recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        """So may an interrupted teardown."""
        return RecoveryPolicy.CONVERGE

    def inputs(self, spec: Mapping[str, Any]) -> Inputs:
        """The files that decide whether the unit is current. `private`: its checkout holds them and nyl.toml alone."""
        return Inputs(files=(InputFiles((spec["folder"],)),), private=True)

    def plan(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> PlanOutcome:
        """What would be written, unless the file holds it already."""
        checksum = _checksum(unit, context)
        return checksum if isinstance(checksum, Failed) else _change(Path(unit.spec["publish"]), checksum)

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        """Digests the folder and publishes the digest, if that is what was approved."""
        checksum = _checksum(unit, context)
        if isinstance(checksum, Failed):
            return checksum
        known = {"sha256": checksum}
        outputs = {name: value for name, value in known.items() if name in unit.outputs}
        if "publish" not in unit.spec:
            return Succeeded(outputs)
        path = Path(unit.spec["publish"])
        change = _change(path, checksum)
        if isinstance(change, Failed):
            return change
        if context.approved_digest not in (None, change.digest):
            return AwaitingApproval(change.digest)
        try:
            _replace(path, checksum)
        except OSError as error:
            return Failed(FailureCategory.EXECUTION, True, f"the checksum could not be published: {error}")
        return Succeeded(outputs, {"published": {"apiVersion": self.api_version, "kind": "PublishedChecksum", **known}})

    def verify(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> VerifyOutcome:
        """Whether the file holds what the receipt says. What cannot be read is no drift but a failure."""
        path = Path(unit.spec["publish"])
        found = _published(path)
        if isinstance(found, Failed):
            return found
        if found is None:
            return Verified(True, f"{path} is gone")
        if found != receipt.artifacts["published"]["sha256"]:
            return Verified(True, f"{path} holds another checksum")
        return Verified(False)

    def plan_teardown(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> PlanOutcome:
        """The file that would go."""
        return _planned(f"- {unit.spec['publish']}")

    def teardown(
        self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts, order: TeardownOrder
    ) -> TeardownOutcome:
        """Removes the file, also when it is gone already. Nothing has to be waited for, so the order is not read."""
        change = _planned(f"- {unit.spec['publish']}")
        if context.approved_digest not in (None, change.digest):
            return AwaitingApproval(change.digest)
        try:
            Path(unit.spec["publish"]).unlink(missing_ok=True)
        except OSError as error:
            return Failed(FailureCategory.EXECUTION, True, f"the checksum could not be removed: {error}")
        return Removed()


def _checksum(unit: ResolvedUnit, context: ExecutionContext) -> str | Failed:
    """Digest of the names and contents below the folder. The tool only reads: however it ends, there is no effect."""
    folder = context.checkout / unit.spec["folder"]
    names = sorted(str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file())
    if not names:
        return Failed(FailureCategory.EXECUTION, False, f"there is no file below {unit.spec['folder']}")
    result = context.run(["sha256sum", "--zero", "--", *names], cwd=folder, capture_stdout=True)
    if result.exit_code != 0:
        category = FailureCategory.START if result.start_error else FailureCategory.EXECUTION
        return Failed(category, True, result.start_error or result.last_line or "sha256sum did not end as it should")
    return hashlib.sha256(result.stdout).hexdigest()


def _change(path: Path, checksum: str) -> Planned | Failed:
    found = _published(path)
    if isinstance(found, Failed):
        return found
    return _planned("" if found == checksum else f"~ {path}: {found or 'nothing'} -> {checksum}")


def _planned(text: str) -> Planned:
    return Planned(text, f"sha256:{hashlib.sha256(text.encode()).hexdigest()}")


def _published(path: Path) -> str | Failed | None:
    """The checksum that a file holds; None where there is no file."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeError) as error:
        return Failed(FailureCategory.EXECUTION, True, f"{path} could not be read: {error}")


def _replace(path: Path, text: str) -> None:
    """Writes the file so that a reader sees the old text or the new one, wherever this is interrupted."""
    new = path.with_name(f".{path.name}.new")
    new.write_text(f"{text}\n", encoding="utf-8")
    new.replace(path)


def drivers() -> tuple[Driver, ...]:
    """What the entry point names."""
    return (Checksum(),)
