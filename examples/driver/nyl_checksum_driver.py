"""An example of a driver: `Checksum` gives the SHA-256 of a folder, for other units to reference.

apiVersion: checksum.example.com/v1
kind: Checksum
metadata: {name: assets}
spec:
  folder: assets
  outputs: {sha256: {type: string}}
"""

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from nyl.units.driver import (
    Capability,
    Driver,
    ExecutionContext,
    InputFiles,
    Inputs,
    Outcome,
    RecoveryPolicy,
    ResolvedUnit,
    Succeeded,
)


class Checksum:
    """Reads files and has no effects, so running it again is always safe."""

    api_version = "checksum.example.com/v1"
    kind = "Checksum"
    behavior_version = 1
    default_timeout = timedelta(minutes=5)
    reference_fields: tuple[str, ...] = ()
    neutral_fields: tuple[str, ...] = ()

    def schema(self) -> Mapping[str, Any]:
        """The kind's own fields; nyl adds those that every kind has."""
        path = {"type": "string", "pattern": "^[^/.][^/]*(/[^/.][^/]*)*$"}
        return {"type": "object", "properties": {"folder": path}, "required": ["folder"]}

    def capabilities(self, spec: Mapping[str, Any]) -> frozenset[Capability]:
        """Nothing beyond executing."""
        return frozenset()

    def recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        """An interrupted execution may simply run again."""
        return RecoveryPolicy.CONVERGE

    def inputs(self, spec: Mapping[str, Any]) -> Inputs:
        """The files that decide whether the unit is current. `private`: its checkout holds them and nyl.toml alone."""
        return Inputs(files=(InputFiles((spec["folder"],)),), private=True)

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        """Digests names and contents in the order of their names."""
        digest = hashlib.sha256()
        folder = context.checkout / unit.spec["folder"]
        for path in sorted(each for each in folder.rglob("*") if each.is_file()):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{path.relative_to(folder)}\0{content}\n".encode())
        known = {"sha256": digest.hexdigest()}
        return Succeeded({name: value for name, value in known.items() if name in unit.outputs})


def drivers() -> tuple[Driver, ...]:
    """What the entry point names."""
    return (Checksum(),)
