"""The stored documents as they are: `nyl state show`."""

from typing import Any

from nyl.core import yamlio
from nyl.state.access import StateAccess
from nyl.state.paths import DESIRED_ROLES, OBSERVED_ROLES, FileRole
from nyl.state.snapshot import StateSnapshot


def raw_documents(access: StateAccess, snapshot: StateSnapshot) -> dict[str, Any]:
    """The plain data of every state file of a snapshot, by path below the state's folder; artifacts included."""
    documents: dict[str, Any] = {}
    for commit, roles in _sides(snapshot):
        files = {
            path: entry.oid
            for path, entry in access.documents.tree(commit).items()
            if (found := access.paths.parse(path)) is not None and found.role in roles
        }
        contents = access.documents.contents(files.values())
        documents.update({path: yamlio.load_document(contents[oid], path) for path, oid in files.items()})
    return dict(sorted(documents.items()))


def _sides(snapshot: StateSnapshot) -> tuple[tuple[str, frozenset[FileRole]], ...]:
    return ((snapshot.desired_commit, DESIRED_ROLES), (snapshot.observed_commit, OBSERVED_ROLES - DESIRED_ROLES))
