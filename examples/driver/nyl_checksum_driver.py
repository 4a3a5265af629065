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
    Failed,
    FailureCategory,
    Outcome,
    Removed,
    Succeeded,
    TeardownOutcome,
    Verified,
    VerifyOutcome,
)


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
        """Only what is published can be looked after."""
        return frozenset({Capability.VERIFY, Capability.TEARDOWN}) if "publish" in spec else frozenset()

    def recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        """An interrupted execution may simply run again."""
        return RecoveryPolicy.CONVERGE

    def teardown_recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        """So may an interrupted teardown."""
        return RecoveryPolicy.CONVERGE

    def inputs(self, spec: Mapping[str, Any]) -> Inputs:
        """The files that decide whether the unit is current. `private`: its checkout holds them and nyl.toml alone."""
        return Inputs(files=(InputFiles((spec["folder"],)),), private=True)

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        """Digests names and contents in the order of their names, and publishes the digest."""
        digest = hashlib.sha256()
        folder = context.checkout / unit.spec["folder"]
        for path in sorted(each for each in folder.rglob("*") if each.is_file()):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{path.relative_to(folder)}\0{content}\n".encode())
        known = {"sha256": digest.hexdigest()}
        if "publish" in unit.spec:
            try:
                _replace(Path(unit.spec["publish"]), known["sha256"])
            except OSError as error:
                return Failed(FailureCategory.EXECUTION, True, f"the checksum could not be published: {error}")
        artifacts = {"published": {"apiVersion": self.api_version, "kind": "PublishedChecksum", **known}}
        outputs = {name: value for name, value in known.items() if name in unit.outputs}
        return Succeeded(outputs, artifacts if "publish" in unit.spec else {})

    def verify(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> VerifyOutcome:
        """Whether the file holds what the receipt says. What cannot be read is no drift but a failure."""
        path = Path(unit.spec["publish"])
        try:
            found = path.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return Verified(True, f"{path} is gone")
        except (OSError, UnicodeError) as error:
            return Failed(FailureCategory.EXECUTION, True, f"{path} could not be read: {error}")
        if found != receipt.artifacts["published"]["sha256"]:
            return Verified(True, f"{path} holds another checksum")
        return Verified(False)

    def teardown(
        self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts, order: TeardownOrder
    ) -> TeardownOutcome:
        """Removes the file, also when it is gone already. Nothing has to be waited for, so the order is not read."""
        try:
            Path(unit.spec["publish"]).unlink(missing_ok=True)
        except OSError as error:
            return Failed(FailureCategory.EXECUTION, True, f"the checksum could not be removed: {error}")
        return Removed()


def _replace(path: Path, text: str) -> None:
    """Writes the file so that a reader sees the old text or the new one, wherever this is interrupted."""
    new = path.with_name(f".{path.name}.new")
    new.write_text(f"{text}\n", encoding="utf-8")
    new.replace(path)


def drivers() -> tuple[Driver, ...]:
    """What the entry point names."""
    return (Checksum(),)
