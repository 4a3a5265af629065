"""A comment on 600 units that all change, against the plan that it tells of."""

import gc
import time
from collections.abc import Callable
from typing import TypeVar

from nyl.cli.markdown import comment_in
from nyl.core.clock import SystemClock
from nyl.engine.plan import plan
from nyl.engine.requests import PlanRequest, Selection
from nyl.engine.workspace import Workspace
from scripts.benchmarks.measure import Sample, middle
from scripts.benchmarks.workloads import NylWorld

_Result = TypeVar("_Result")


def commented_plan(world: NylWorld, rounds: int) -> tuple[Sample, Sample]:
    """The time of rendering a comment, and of the plan. Every unit has a receipt of other inputs, to be compared."""
    world.reconcile().once()
    world.change_every_unit()
    gc.set_threshold(200_000)  # as nyl's own process does
    samples = [_once(world) for _ in range(rounds + 1)][1:]
    return middle([rendering for rendering, _ in samples]), middle([planning for _, planning in samples])


def _once(world: NylWorld) -> tuple[Sample, Sample]:
    workspace = Workspace.open(world.work, world.environ, SystemClock(), lambda event: None)
    request = PlanRequest(Selection(("bench",)), explains_all=True)
    report, planning = _timed(lambda: plan(workspace, request, lambda event: None))
    _, rendering = _timed(lambda: comment_in(world.environ, report))
    return rendering, planning


def _timed(work: Callable[[], _Result]) -> tuple[_Result, Sample]:
    start = time.perf_counter()
    result = work()
    return result, Sample(time.perf_counter() - start, 0)
