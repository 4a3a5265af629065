"""The tree of a unit's target, rendered with the inputs that the unit's spec gives."""

from collections.abc import Callable, Mapping
from typing import Any

from nyl.core.canonical import digest
from nyl.core.dataclass import dataclass
from nyl.kubernetes.compiler import compile_plan
from nyl.kubernetes.index import comparable_inputs
from nyl.kubernetes.inputs.resolution import ResolvedInputs
from nyl.kubernetes.inputs.sources import PublicationState
from nyl.kubernetes.inputs.unit_values import UnitValues
from nyl.kubernetes.session import RenderSession
from nyl.kubernetes.target_plan import plan_target
from nyl.kubernetes.targets import select_target
from nyl.kubernetes.tree import RenderedTree
from nyl.units.publication.readiness import teardown_settings, unmet_requirements
from nyl.units.publication.releases import RELEASES, Releases
from nyl.units.publication.waiting import wait_policy


@dataclass(frozen=True)
class UnitRendering:
    """A rendered target, and everything that it was rendered from."""

    tree: RenderedTree
    releases: Releases
    """Every effective input of every Release that declares inputs."""
    fingerprint: str
    """Digest of the complete input record, as the index of the tree has it."""
    readiness: tuple[str, ...]
    """What keeps a teardown of the tree from completing."""


def render_unit(
    session: RenderSession, spec: Mapping[str, Any], open_state: Callable[[], PublicationState]
) -> UnitRendering:
    """Renders the target of a unit. `open_state` reads what is published of it, when a binding needs that.

    Raises what rendering a tree raises.
    """
    target = select_target(session.declarations, spec["target"]).target
    plan = plan_target(session, target)
    inputs = plan.inputs(open_state, UnitValues(spec.get(RELEASES, {})))
    tree = compile_plan(plan, inputs)
    readiness = unmet_requirements(teardown_settings(plan, session.declarations), wait_policy(spec))
    return UnitRendering(tree, _effective(inputs), digest(comparable_inputs(tree.inputs)), readiness)


def _effective(inputs: ResolvedInputs) -> Releases:
    return {
        str(address): {name: each.value for name, each in found.items()} for address, found in inputs.effective.items()
    }
