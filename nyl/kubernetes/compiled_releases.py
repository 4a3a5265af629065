"""The Releases of a target, rendered: those that nothing changed for are taken from the cache.

The files of a Release depend on other Releases in one way alone: their CustomResourceDefinitions tell which kinds have
a namespace. A Release that was rendered before that was known is rendered again.
"""

from collections.abc import Collection, Mapping
from functools import partial

from nyl.kubernetes.expansion.helm import helm_identity
from nyl.kubernetes.kinds import KindName, Scope
from nyl.kubernetes.release_cache import ReleaseCache
from nyl.kubernetes.release_work import ReleaseJob
from nyl.kubernetes.rendered_releases import RenderedRelease
from nyl.kubernetes.resources import ReleaseAddress
from nyl.kubernetes.session import RenderSession
from nyl.kubernetes.tree_contents import ReleaseBytes


class CompiledReleases:
    """Some Releases as files. What is needed to render any is imported only when one has to be rendered."""

    def __init__(self, session: RenderSession, jobs: Mapping[ReleaseAddress, ReleaseJob]) -> None:
        """Renders all of `jobs`. Raises what is wrong with any of them together."""
        self._session = session
        self._jobs = jobs
        self._cache = ReleaseCache(session.known, helm_identity(session.environ), session.artifacts)
        self._found: dict[ReleaseAddress, RenderedRelease] = {}
        self._bodies: dict[ReleaseAddress, bytes] = {}
        self._scopes: dict[KindName, Scope] = {}
        self._compile()

    @property
    def releases(self) -> Mapping[ReleaseAddress, RenderedRelease]:
        """The Releases in the order of their jobs."""
        return {address: self._found[address] for address in self._jobs}

    @property
    def rendered(self) -> int:
        """How many were rendered now."""
        return len(self._bodies)

    def contents(self, folders: Mapping[ReleaseAddress, str]) -> list[ReleaseBytes]:
        """How to have the bytes of each; `folders` are theirs below the prefix."""
        return [
            ReleaseBytes(folders[address], release, partial(self._bytes, address))
            for address, release in self._found.items()
        ]

    def _compile(self) -> None:
        for address, record in self._cache.load(self._jobs).items():
            self._found[address] = record.release
            self._scopes.update(record.release.scopes)
        self._render([job for address, job in self._jobs.items() if address not in self._found])
        self._render([self._jobs[address] for address, each in self._found.items() if self._is_outdated(each)])
        self._cache.flush()

    def _is_outdated(self, release: RenderedRelease) -> bool:
        return any(self._scopes.get(kind) != scope for kind, scope in release.open_kinds.items())

    def _render(self, jobs: Collection[ReleaseJob]) -> None:
        if not jobs:
            return
        from nyl.kubernetes.release_rendering import render_releases

        for job, fresh in render_releases(self._session, jobs, self._scopes):
            self._found[job.address] = fresh.release
            self._bodies[job.address] = fresh.bodies
            self._scopes.update(fresh.release.scopes)
            self._cache.keep(job, fresh)

    def _bytes(self, address: ReleaseAddress) -> bytes:
        """The files of one Release: as they were rendered now, else the cache's, else rendered again."""
        if address not in self._bodies:
            job = self._jobs[address]
            kept = self._cache.bodies(job.key)
            if kept is None:
                self._render([job])
            else:
                self._bodies[address] = kept
        return self._bodies[address]
