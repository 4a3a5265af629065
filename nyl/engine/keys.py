"""The execution key: a digest of everything that decides what a unit does.

Follows the section Execution keys and receipts of the Runs page.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from nyl.core.canonical import digest
from nyl.core.pointers import get, replace
from nyl.state.documents import InputRecord
from nyl.units.driver import Driver

_NEUTRAL_COMMON = frozenset({"enabled", "dependsOn", "approval", "deletionPolicy", "timeout"})


def keyed_spec(driver: Driver, spec: Mapping[str, Any], sources: Iterable[str]) -> dict[str, Any]:
    """The part of a spec that enters the key. `sources` are the pointers of its source fields.

    Left out is what is neutral for every kind or for this one, and the commits that source fields pin: the bytes that
    are read there enter the key instead.
    """
    left_out = _NEUTRAL_COMMON.union(driver.neutral_fields)
    kept = {name: value for name, value in spec.items() if name not in left_out}
    for pointer in sources:
        with suppress(KeyError):  # a neutral source field is gone already
            field = get(kept, pointer)
            kept = replace(kept, pointer, {name: value for name, value in field.items() if name != "commit"})
    return kept


def execution_key(driver: Driver, resolved_spec: Mapping[str, Any], inputs: InputRecord) -> str:
    """The digest of kind, behavior version, resolved spec, input bytes, fingerprint and variable names.

    Commit ids, provenance, nyl's version and tool versions do not enter it.
    """
    return digest(
        {
            "apiVersion": driver.api_version,
            "kind": driver.kind,
            "behaviorVersion": driver.behavior_version,
            "spec": keyed_spec(driver, resolved_spec, inputs.sources),
            "files": [[each.source, each.path, each.digest, each.executable] for each in inputs.files],
            "fingerprint": inputs.fingerprint,
            "variables": list(inputs.variables),
        }
    )
