"""The files of a state in two commits, by what each stands for."""

from collections.abc import Mapping

from nyl.core.dataclass import dataclass
from nyl.git.trees import TreeEntry
from nyl.state.changes import Transition
from nyl.state.codec import Origin
from nyl.state.documents import Observation, ObservationType
from nyl.state.paths import DESIRED_ROLES, FileRole, StateFile, StatePaths

BESIDE = "\0"
"""What parts the type of an observation from its unit, and stands in no name."""
ROLES_OF = {
    FileRole.DESIRED: DESIRED_ROLES,
    FileRole.OBSERVED: frozenset({FileRole.STATE, FileRole.OBSERVED, FileRole.OBSERVATION}),
}
"""The side of a state -> the roles that its files have."""


@dataclass(frozen=True)
class StoredFile:
    """A file of a state or run ref."""

    origin: Origin
    blob: str


Tree = Mapping[str, TreeEntry]
Files = Mapping[FileRole, Mapping[str, StoredFile]]
"""The files of a state by the name that each stands for: a unit, or the role of the units beside a state.yaml."""


def state_files(paths: StatePaths, desired: tuple[str, Tree], observed: tuple[str, Tree]) -> Files:
    """The files of a state in the desired and the observed commit, each given with its files by path."""
    files: dict[FileRole, dict[str, StoredFile]] = {role: {} for role in FileRole}
    for side, (commit, tree) in ((FileRole.DESIRED, desired), (FileRole.OBSERVED, observed)):
        for path, entry in tree.items():
            found = paths.parse(path)
            if found and found.role in ROLES_OF[side]:
                files[found.role][_key(found, side)] = StoredFile(Origin(commit, path), entry.oid)
    return files


def observations_by_key(transition: Transition) -> dict[str, Observation | None]:
    """The observations that a transition writes, by the names of their files."""
    return {
        f"{kind}{BESIDE}{unit}": each for unit, found in transition.observations.items() for kind, each in found.items()
    }


def observations_by_unit(observations: Mapping[str, Observation]) -> dict[str, dict[ObservationType, Observation]]:
    """Observations by unit and type."""
    found: dict[str, dict[ObservationType, Observation]] = {}
    for each in observations.values():
        found.setdefault(each.unit.name, {})[each.type] = each
    return found


def _key(file: StateFile, side: FileRole) -> str:
    """The name of a state file among those of its role: a unit, with the type of an observation before it."""
    if file.role is FileRole.OBSERVATION:
        return f"{file.name}{BESIDE}{file.unit}"
    return side if file.role is FileRole.STATE else file.unit
