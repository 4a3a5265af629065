"""The execution key: a digest of everything that decides what a unit does.

Follows the section Execution keys and receipts of the Runs page.
"""

from collections.abc import Mapping
from typing import Any

from nyl.core.canonical import digest
from nyl.state.documents import InputRecord
from nyl.units.driver import Driver

_NEUTRAL_COMMON = frozenset({"enabled", "dependsOn", "approval", "deletionPolicy", "timeout"})


def keyed_spec(driver: Driver, spec: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a spec that enters the key: without what is neutral for every kind, or for this one."""
    left_out = _NEUTRAL_COMMON.union(driver.neutral_fields)
    return {name: value for name, value in spec.items() if name not in left_out}


def execution_key(driver: Driver, resolved_spec: Mapping[str, Any], inputs: InputRecord) -> str:
    """The digest of kind, behavior version, resolved spec, input bytes, fingerprint and variable names.

    Commit ids, provenance, nyl's version and tool versions do not enter it.
    """
    return digest(
        {
            "apiVersion": driver.api_version,
            "kind": driver.kind,
            "behaviorVersion": driver.behavior_version,
            "spec": keyed_spec(driver, resolved_spec),
            "files": [[each.source, each.path, each.digest, each.executable] for each in inputs.files],
            "fingerprint": inputs.fingerprint,
            "variables": list(inputs.variables),
        }
    )
