"""Where the states of environments live, as indexes of published trees name them and compare them."""

from collections.abc import Iterable

from nyl.engine.workspace import Workspace
from nyl.git.own_place import ORIGIN, own_place
from nyl.git.urls import comparable_url, is_relative, shared_url
from nyl.kubernetes.index import OwnerPlace
from nyl.project.repositories import spellings
from nyl.project.resources import StateLocation
from nyl.state.documents import Data


def owner_place(workspace: Workspace, location: StateLocation) -> OwnerPlace | None:
    """The place of a state; None where its repository has no URL, or a relative one that means another elsewhere."""
    url = location.repository.url if location.repository else workspace.repository.remote_url(ORIGIN)
    if url is None or is_relative(url):
        return None
    return OwnerPlace(shared_url(url), location.desired_ref, location.path)


def lives_at(place: OwnerPlace, workspace: Workspace, location: StateLocation) -> bool:
    """Whether a place is that of a state, however its repository is spelled."""
    known = spellings(location.repository, own_place(workspace.repository))
    there = (location.desired_ref, location.path)
    return comparable_url(place.repository) in known and (place.ref, place.path) == there


def lived_at(place: OwnerPlace, events: Iterable[Data]) -> bool:
    """Whether a state was moved away from a place, as the events of its record tell."""
    former = (each["from"] for each in events if isinstance(each.get("from"), dict))
    return any(
        isinstance(each.get("repository"), str)
        and comparable_url(each["repository"]) == comparable_url(place.repository)
        and (each.get("desiredRef"), each.get("path", "")) == (place.ref, place.path)
        for each in former
    )
