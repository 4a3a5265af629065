"""Compiling a DeploymentTarget: everything that its prefix is to hold, as one tree.

Follows the page Rendered Layout and Pipeline in the Kubernetes specification.
"""

from collections.abc import Callable

from nyl.core.collector import collector_paused
from nyl.core.counts import counted
from nyl.kubernetes.compiled_releases import CompiledReleases
from nyl.kubernetes.inputs.resolution import ResolvedInputs
from nyl.kubernetes.inputs.sources import PublicationState
from nyl.kubernetes.release_jobs import release_jobs
from nyl.kubernetes.resources import DeploymentTarget
from nyl.kubernetes.session import RenderSession
from nyl.kubernetes.target_plan import TargetPlan, plan_target
from nyl.kubernetes.tree import RenderedTree
from nyl.kubernetes.tree_assembly import TreeAssembly


def compile_target(
    session: RenderSession, target: DeploymentTarget, open_state: Callable[[], PublicationState]
) -> RenderedTree:
    """The tree of a target. `open_state` reads what is published of it, and is called when a binding needs that.

    Raises all problems of one step together, with the file and line of each: those of groups, then of inputs, then of
    Releases, then of what they are together.
    """
    with collector_paused():
        plan = plan_target(session, target)
        return compile_plan(plan, plan.inputs(open_state))


def compile_plan(plan: TargetPlan, inputs: ResolvedInputs) -> RenderedTree:
    """The tree of a target whose inputs are resolved. Raises as `compile_target`."""
    session, target = plan.session, plan.target
    with collector_paused():
        jobs = release_jobs(plan, inputs)
        releases = counted(len(jobs), "Release")
        session.announce(f"rendering {releases} of DeploymentTarget {target.name}")
        compiled = CompiledReleases(session, jobs)
        session.announce(f"rendered {compiled.rendered} of {releases}, the others are as they were")
        assembly = TreeAssembly(plan, inputs, compiled.releases)
        return assembly.tree(compiled.contents(plan.folders))
