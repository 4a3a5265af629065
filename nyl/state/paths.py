"""Names of files inside the state refs and the run refs, and the way back from a file to what it is about.

Unit and artifact names can contain anything. A file name keeps letters, digits, `-`, `_` and `.`; every other
character, a leading dot, and the dot of a final `.yaml` are percent-encoded. That is injective, never leaves its
folder, and keeps the folder of a unit named `a.yaml` apart from the file of a unit named `a`.
"""

import re
from enum import StrEnum
from functools import lru_cache
from urllib.parse import quote, unquote

from nyl.core.dataclass import dataclass

_PLAIN = re.compile(r"[a-z0-9_-][a-z0-9_.-]*", re.IGNORECASE | re.ASCII)
_SUFFIX = ".yaml"


class FileRole(StrEnum):
    """What a file of a state ref is."""

    STATE = "state"
    ENVIRONMENT = "environment"
    DESIRED = "desired"
    OBSERVED = "observed"
    ARTIFACT = "artifact"
    OBSERVATION = "observation"


DESIRED_ROLES = frozenset({FileRole.STATE, FileRole.ENVIRONMENT, FileRole.DESIRED})
"""What the desired ref holds."""

OBSERVED_ROLES = frozenset({FileRole.STATE, FileRole.OBSERVED, FileRole.ARTIFACT, FileRole.OBSERVATION})
"""What the observed ref holds."""


@dataclass(frozen=True)
class StateFile:
    """A file of a state ref. `unit` and `name` (of an artifact or observation) are '' where there is none."""

    role: FileRole
    unit: str = ""
    name: str = ""


def file_stem(name: str) -> str:
    """The file name, without suffix, that stands for a unit's or artifact's name."""
    if _PLAIN.fullmatch(name) and not name.lower().endswith(_SUFFIX):
        return name
    stem = quote(name, safe="").replace("~", "%7E")
    if stem.startswith("."):
        stem = "%2E" + stem[1:]
    if stem.lower().endswith(_SUFFIX):
        stem = stem[: -len(_SUFFIX)] + "%2E" + stem[-len(_SUFFIX) + 1 :]
    return stem


def name_of_stem(stem: str) -> str | None:
    """The name that a stem stands for; None when no name is written like that."""
    if "%" not in stem and _PLAIN.fullmatch(stem) and not stem.lower().endswith(_SUFFIX):
        return stem
    name = unquote(stem, errors="replace")
    return name if file_stem(name) == stem else None


@dataclass(frozen=True)
class StatePaths:
    """The layout below the `path` of an environment's state ('' is the root of the ref)."""

    path: str = ""

    @property
    def _root(self) -> str:
        return f"{self.path}/" if self.path else ""

    @property
    def state(self) -> str:
        """The file that says where this state lives."""
        return f"{self._root}state.yaml"

    @property
    def environment(self) -> str:
        """The file of the resolved environment."""
        return f"{self._root}desired/environment.yaml"

    def desired(self, unit: str) -> str:
        """The file of a desired document."""
        return f"{self._root}desired/units/{file_stem(unit)}{_SUFFIX}"

    def observed(self, unit: str) -> str:
        """The file of an observed document."""
        return f"{self._root}observed/units/{file_stem(unit)}{_SUFFIX}"

    def artifact(self, unit: str, name: str) -> str:
        """The file of one artifact of a unit's receipt."""
        return f"{self.artifacts(unit)}{file_stem(name)}{_SUFFIX}"

    def artifacts(self, unit: str) -> str:
        """The folder of a unit's artifacts, with a slash at its end."""
        return f"{self._root}observed/units/{file_stem(unit)}/artifacts/"

    def observation(self, unit: str, kind: str) -> str:
        """The file of the latest observation of a type about a unit's receipt."""
        return f"{self._root}observed/units/{file_stem(unit)}/observations/{file_stem(kind)}{_SUFFIX}"

    def beside(self, unit: str) -> str:
        """The folder of everything that is stored beside an observed document."""
        return f"{self._root}observed/units/{file_stem(unit)}"

    @property
    def owned(self) -> tuple[str, ...]:
        """The file and the folders that this environment's state consists of."""
        return (self.state, f"{self._root}desired", f"{self._root}observed")

    def owns(self, path: str) -> bool:
        """Whether a file of the ref belongs to this environment's state."""
        return path == self.state or path.startswith((f"{self._root}desired/", f"{self._root}observed/"))

    def parse(self, path: str) -> StateFile | None:
        """What a file is; None for a file that is no part of this environment's state."""
        if not path.startswith(self._root) or not path.endswith(_SUFFIX):
            return None
        return _parse(path[len(self._root) : -len(_SUFFIX)])


_WHOLE = {"state": StateFile(FileRole.STATE), "desired/environment": StateFile(FileRole.ENVIRONMENT)}
_UNITS = {"desired": FileRole.DESIRED, "observed": FileRole.OBSERVED}
_BESIDE = {"artifacts": FileRole.ARTIFACT, "observations": FileRole.OBSERVATION}


def _parse(stem: str) -> StateFile | None:
    known = _WHOLE.get(stem)
    if known:
        return known
    parts = stem.split("/")
    if parts[0] not in _UNITS or parts[1:2] != ["units"] or len(parts) not in (3, 5):
        return None
    unit = name_of_stem(parts[2])
    if unit is None:
        return None
    if len(parts) == 3:
        return StateFile(_UNITS[parts[0]], unit)
    name, role = name_of_stem(parts[4]), _BESIDE.get(parts[3])
    return StateFile(role, unit, name) if parts[0] == "observed" and role and name is not None else None


RUN_FILE = "run.yaml"
LEASE_FILE = "lease.yaml"


@lru_cache(maxsize=4096)
def run_desired(unit: str) -> str:
    """The start record of a unit on a run ref: the desired document it starts with."""
    return f"desired/units/{file_stem(unit)}{_SUFFIX}"


def run_checkpoint(unit: str) -> str:
    """The checkpoint of a unit on a run ref."""
    return f"checkpoints/{file_stem(unit)}{_SUFFIX}"


def run_artifact(unit: str, name: str) -> str:
    """An artifact of a checkpointed receipt on a run ref."""
    return f"checkpoints/{file_stem(unit)}/artifacts/{file_stem(name)}{_SUFFIX}"


def signal_hold(unit: str) -> str:
    """The hold of a unit on a signals ref."""
    return f"holds/{file_stem(unit)}{_SUFFIX}"
