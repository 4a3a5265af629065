"""Compiling a DeploymentTarget: everything that its prefix is to hold, as one tree.

Follows the page Rendered Layout and Pipeline in the Kubernetes specification.
"""

from collections.abc import Callable

from nyl.core.collector import collector_paused
from nyl.kubernetes.expansion.expander import Expander
from nyl.kubernetes.inputs.sources import PublicationState
from nyl.kubernetes.release_cache import ReleaseCache
from nyl.kubernetes.release_compilation import ReleaseCompilation
from nyl.kubernetes.release_jobs import release_jobs
from nyl.kubernetes.release_rendering import ReleaseJob
from nyl.kubernetes.resources import DeploymentTarget
from nyl.kubernetes.session import RenderSession
from nyl.kubernetes.target_plan import plan_target
from nyl.kubernetes.tree import RenderedTree
from nyl.kubernetes.tree_assembly import TreeAssembly
from nyl.kubernetes.tree_contents import ReleaseBytes


def compile_target(
    session: RenderSession, target: DeploymentTarget, open_state: Callable[[], PublicationState]
) -> RenderedTree:
    """The tree of a target. `open_state` reads what is published of it, and is called when a binding needs that.

    Raises all problems of one step together, with the file and line of each: those of groups, then of inputs, then of
    Releases, then of what they are together.
    """
    with collector_paused(), open_expander(session) as expander:
        plan = plan_target(session, target)
        inputs = plan.inputs(open_state)
        jobs = release_jobs(plan, inputs)
        cache = None if session.options.no_cache else ReleaseCache(session.cache, expander.identity, session.artifacts)
        compilation = ReleaseCompilation(expander, cache, session.cancellation, session.options.concurrency)
        session.announce(f"rendering {len(jobs)} Releases of DeploymentTarget {target.name}")
        compilation.run(jobs)
        session.announce(f"rendered {len(compilation.fresh)} of {len(jobs)} Releases, the others are as they were")
    assembly = TreeAssembly(plan, inputs, compilation.releases)
    contents = [
        ReleaseBytes(plan.folders[address], release, _Bytes(session, jobs[address], compilation))
        for address, release in compilation.releases.items()
    ]
    return assembly.tree(contents)


def open_expander(session: RenderSession) -> Expander:
    """What expands the objects of a session's Releases; close it when done."""
    return Expander(
        session.artifacts,
        session.git_files,
        session.environ,
        session.cache,
        session.cancellation,
        session.options.concurrency,
    )


class _Bytes:
    """The files of one Release: what was rendered, else the cache's, else rendered again."""

    def __init__(self, session: RenderSession, job: ReleaseJob, compilation: ReleaseCompilation) -> None:
        self._session = session
        self._job = job
        self._compilation = compilation

    def __call__(self) -> bytes:
        fresh = self._compilation.fresh
        address = self._job.address
        if address not in fresh:
            kept = ReleaseCache(self._session.cache, "", self._session.artifacts).bodies(self._job.key)
            fresh[address] = kept if kept is not None else self._rendered()
        return fresh[address]

    def _rendered(self) -> bytes:
        with open_expander(self._session) as expander:
            again = ReleaseCompilation(expander, None, self._session.cancellation, 1)
            again.scopes.update(self._compilation.scopes)
            again.run({self._job.address: self._job})
        return again.fresh[self._job.address]
