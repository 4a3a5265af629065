"""Targets with bindings, Releases with declarations, and files in memory to resolve them from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.kubernetes.inputs.bindings import BindingContext
from nyl.kubernetes.inputs.declarations import declare
from nyl.kubernetes.inputs.resolution import ResolvedInputs, resolve_inputs
from nyl.kubernetes.inputs.sources import GitLock, SourceFile
from nyl.kubernetes.resources import DeploymentTarget, Publication, ReleaseAddress, ReleaseDocument
from nyl.project.resources import GitRepository, RepositoryLocation

DEPLOY = RepositoryLocation("https://git.example.com/team/deploy.git")
STATE = RepositoryLocation("https://git.example.com/team/state.git")
COMMIT = "3f1c9a" + "0" * 34
WEB = ReleaseAddress("platform", "web")
REPOSITORIES = {
    name: GitRepository(name, repository, Location("repositories.yaml", 1))
    for name, repository in (("deploy", DEPLOY), ("platform-state", STATE))
}


@dataclass
class HeldState:
    """The publication branch as a test holds it."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    commit: str | None = COMMIT
    is_cached: bool = False

    def read(self, path: str) -> bytes | None:
        return self.files.get(path)


@dataclass
class HeldSources:
    """Files of every source as a test holds them."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    locked: Mapping[str, bytes] = field(default_factory=dict)
    state: HeldState = field(default_factory=HeldState)
    carried: Mapping[str, bytes] = field(default_factory=dict)
    reads: list[str] = field(default_factory=list)

    def file(self, path: str) -> SourceFile:
        self.reads.append(path)
        if path not in self.files:
            raise NylError(Code.INPUT_UNRESOLVED, f"There is no file {path}.", "add it")
        return SourceFile(path, self.files[path])

    def git(self, lock: GitLock) -> bytes:
        self.reads.append(lock.key)
        return self.locked[lock.path]

    def carry(self, path: str) -> bytes | None:
        return self.carried.get(path)


def release(inputs: Mapping[str, Any], name: str = "web") -> ReleaseDocument:
    return ReleaseDocument(name, name, declare(inputs), Location(f"applications/{name}.yaml", 1), 0)


def target(bindings: Mapping[str, Mapping[str, Any]]) -> DeploymentTarget:
    return DeploymentTarget(
        name="staging",
        labels={},
        cluster="shared",
        match_labels={},
        values={},
        publication=Publication(DEPLOY, "deploy", "staging"),
        catalog={},
        argocd=None,
        release_inputs=bindings,
        document={},
        location=Location("targets/staging.yaml", 4),
    )


def context(bindings: Mapping[str, Mapping[str, Any]], *synced: str) -> BindingContext:
    return BindingContext(target(bindings), REPOSITORIES, synced)


def resolve(
    declared: Mapping[str, Any], bound: Mapping[str, Any], sources: HeldSources | None = None, *synced: str
) -> ResolvedInputs:
    """The inputs of one Release `platform/web`."""
    return resolve_inputs(
        context({"platform/web": bound}, *synced), {WEB: release(declared)}, (), sources or HeldSources()
    )


def values(
    declared: Mapping[str, Any], bound: Mapping[str, Any], sources: HeldSources | None = None
) -> dict[str, Any] | None:
    """What templates of `platform/web` see as `inputs`."""
    return resolve(declared, bound, sources).values(WEB)
