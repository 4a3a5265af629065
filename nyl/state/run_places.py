"""Whose state a run worked on, where several states share the refs that coordinate their runs."""

from typing import Any

from nyl.project.resources import StateLocation
from nyl.state.coordination_documents import Run
from nyl.state.documents import Data, StateRecord


def place_of(location: StateLocation) -> dict[str, str]:
    """The refs of a state and its folder on them, as records name them."""
    path = {"path": location.path} if location.path else {}
    return {"desiredRef": location.desired_ref, "observedRef": location.observed_ref, **path}


def is_foreign(run: Run, location: StateLocation, record: StateRecord) -> bool:
    """Whether a run is known to have worked on another state than the one at a location.

    Its own state is also what was renamed or moved since. A run whose record does not tell is nobody else's.
    """
    if not run.location:
        return False
    moved = (each["from"] for each in record.events if isinstance(each.get("from"), dict))
    return _names(run.location) not in map(_names, (place_of(location), record.location, *moved))


def _names(place: Data) -> tuple[Any, ...]:
    return place.get("desiredRef"), place.get("observedRef"), place.get("path", "")
