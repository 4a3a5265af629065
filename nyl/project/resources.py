"""Environments, groups and repositories as data, after their schemas were checked."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location


class DriftRepair(StrEnum):
    """What a reconcile does with a drifted unit."""

    CONVERGE = "converge"
    MANUAL = "manual"


@dataclass(frozen=True)
class EnvironmentSource:
    """Which commit an environment's runs work at. Both None: the commit of the worktree."""

    revision: str | None = None
    commit: str | None = None


@dataclass(frozen=True)
class RepositoryLocation:
    """A repository by its URL; pushes go to `publish_url`, or to `url` where that is None."""

    url: str
    publish_url: str | None = None

    @property
    def pushed_to(self) -> str:
        """Where pushes go."""
        return self.publish_url or self.url


@dataclass(frozen=True)
class StateLocation:
    """Where an environment's state lives. `repository` None is the project's own."""

    repository: RepositoryLocation | None = None
    desired_ref: str = ""
    """Full ref name, such as refs/heads/nyl/dev/desired."""
    observed_ref: str = ""
    path: str = ""
    """Folder inside the refs, without slashes at its ends; '' is the root."""
    coordination_prefix: str = "refs/nyl"

    @classmethod
    def usual(cls, environment: str) -> "StateLocation":
        """Where the state of an environment lives that says nothing about it."""
        return cls(
            desired_ref=f"refs/heads/nyl/{environment}/desired", observed_ref=f"refs/heads/nyl/{environment}/observed"
        )


@dataclass(frozen=True)
class Admission:
    """What an environment's units may ask for in `env`: globs of variable names and of secret keys."""

    passthrough: tuple[str, ...] = ("*",)
    secrets: tuple[str, ...] = ("*",)


@dataclass(frozen=True)
class GitRepository:
    """A named repository of the project."""

    name: str
    repository: RepositoryLocation
    location: Location


@dataclass(frozen=True)
class Environment:
    """An environment with the defaults of its groups merged in."""

    name: str
    labels: Mapping[str, str]
    match_labels: Mapping[str, str]
    """Empty selects every unit."""
    values: Mapping[str, Any]
    source: EnvironmentSource
    state: StateLocation
    protected_refs: tuple[str, ...] | None
    """None: the default branch."""
    allow_unprotected_source: bool
    drift_repair: DriftRepair
    admission: Admission
    location: Location
    document: Mapping[str, Any] = field(default_factory=dict)
    """The merged resource, without repository URLs: what templates see as `environment`."""

    def selects(self, labels: Mapping[str, str]) -> bool:
        """Whether a unit with these labels belongs to the environment."""
        return all(labels.get(key) == value for key, value in self.match_labels.items())


@dataclass(frozen=True)
class EnvironmentGroup:
    """A named set of environments. `defaults` is merged into them already."""

    name: str
    match_labels: Mapping[str, str]
    defaults: Mapping[str, Any]
    location: Location
