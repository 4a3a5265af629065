"""Rendering and publishing trees of manifests, against the least work that this can be, and against helm.

What is divided is measured in turns, so that a machine that is busy for a while slows both.
"""

from collections.abc import Iterator

from scripts.benchmarks.kubernetes_worlds import KubernetesWorld
from scripts.benchmarks.measure import Program, in_turns, middle
from scripts.benchmarks.rows import Bench, Row
from scripts.benchmarks.workloads import Yardstick

_SIZES = (100, 1000)
_CHARTS = 100


def trees(bench: Bench) -> Iterator[Row]:
    """Publications cold, warm and of one change; charts; a comparison without differences; memory."""
    for releases in _SIZES:
        yield from _publications(bench, releases)
    yield from _charts(bench)


def _publications(bench: Bench, releases: int) -> Iterator[Row]:
    colds, floors = [], []
    for _ in range(bench.rounds):
        floors.append(_floor(bench, releases).once())
        world = KubernetesWorld.plain(bench.folder / "trees", bench.nyl, releases)
        colds.append(world.publish().once())
    cold, job = middle(colds), f"publish-tree, {releases} Releases"
    yield bench.ratio(f"{job}, cold", cold, "floor_render", middle(floors), 2.5)
    yield bench.count(f"memory, {job}", cold.mebibytes, 250, " MiB")
    warm = middle([world.publish().once() for _ in range(bench.rounds)])
    yield bench.ratio(f"{job}, warm", warm, "cold", cold, 0.3)
    changed = []
    for version in range(bench.rounds):
        world.change_one(version)
        changed.append(world.publish().once())
    yield bench.ratio(f"{job}, one changed", middle(changed), "cold", cold, 0.4)
    world.render().once()
    diff, render = in_turns(world.diff(), world.render(), bench.rounds)
    yield bench.ratio(f"diff-tree, {releases} Releases, no change", diff, "render-tree, warm", render, 1.3)


def _charts(bench: Bench) -> Iterator[Row]:
    generator = bench.yardsticks / "gen_kube.py"
    world = KubernetesWorld.charts(bench.folder / "charts", bench.nyl, generator, _CHARTS)
    render, helm = in_turns(world.render(), world.helm(), bench.rounds, world.forget)
    yield bench.ratio(f"render-tree, {_CHARTS} charts, cold", render, "helm template, 4 at once", helm, 1.15)


def _floor(bench: Bench, releases: int) -> Program:
    script = bench.yardsticks / "floor_render.py"
    return Yardstick.lay(script, bench.folder / "floor-render", releases).program("render")
