"""Measures everything and prints one table: what was measured, against what, the ratio, and the ratio to reach."""

import argparse
import math
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path

from scripts.benchmarks import peers
from scripts.benchmarks.comments import commented_plan
from scripts.benchmarks.drivers import drivers
from scripts.benchmarks.measure import Program, Sample, median, middle
from scripts.benchmarks.rows import Bench, Row
from scripts.benchmarks.takeovers import DeadRun, takeover
from scripts.benchmarks.trees import trees
from scripts.benchmarks.workloads import NylWorld, Yardstick
from tests.support.git_processes import GitRecorder

ROOT = Path(__file__).parents[2]
READING = ("status", "plan", "reconcile")
FIRST_RUN_GOALS = {"terraform": 0.5, "snakemake": 0.4}
NO_CHANGE_GOALS = {"terraform": 0.35, "snakemake": 0.3, "dvc": 0.05}


def start_up(bench: Bench) -> Iterator[Row]:
    """`nyl --version` and `nyl --help` against an empty Python."""
    world = NylWorld.lay(bench.folder / "start", bench.nyl, 2)
    python = bench.nyl.parent / "python"
    empty = median(Program((str(python), "-c", "pass"), world.work, world.environ), bench.rounds * 2)
    for option in ("--version", "--help"):
        taken = median(world.program(option), bench.rounds * 2)
        yield bench.ratio(f"nyl {option}", taken, "python -c pass", empty, 5)


def runs(bench: Bench) -> Iterator[Row]:
    """First runs, runs without changes, warm and cold, and their growth."""
    measured = _peers(bench) if bench.with_peers else []
    small = bench.units // 10
    first = {units: _first_run(bench, units) for units in (small, bench.units)}
    stick = Yardstick.lay(bench.yardsticks / "floor.py", bench.folder / "floor", bench.units)
    full = _full(bench)
    yield bench.ratio("first run", first[bench.units], "floor full", full, 8)
    yield bench.ratio(f"first run, growth from {small}", first[bench.units], f"{small} units", first[small], 12)
    for peer in measured:
        if peer.first:
            goal = FIRST_RUN_GOALS.get(peer.name, math.inf)
            yield bench.ratio("first run", first[bench.units], peer.name, peer.first, goal)
    stick.program("full").once()
    noop, plan = (median(stick.program(name), bench.rounds) for name in ("noop", "plan"))
    world = NylWorld.at(bench.folder / f"nyl-{bench.units}", bench.nyl)
    for command in READING:
        taken = median(_calls(world, command), bench.rounds)
        yield bench.ratio(f"{command}, warm", taken, "floor noop", noop, 1.3)
        for peer in measured:
            goal = NO_CHANGE_GOALS.get(peer.name, math.inf)
            yield bench.ratio(f"{command}, warm", taken, peer.name, peer.again, goal)
        if command == "reconcile":
            tiny = NylWorld.at(bench.folder / f"nyl-{small}", bench.nyl)
            less = median(_calls(tiny, command), bench.rounds)
            yield bench.ratio(f"{command}, growth from {small}", taken, f"{small} units", less, 4)
            yield bench.count("memory, reconcile", taken.mebibytes, 120, " MiB")
    yield bench.ratio("validate", median(world.program("validate"), bench.rounds), "floor plan", plan, 3)
    yield from _cold(bench, world)


def _cold(bench: Bench, world: NylWorld) -> Iterator[Row]:
    stick = Yardstick.lay(bench.yardsticks / "floor.py", bench.folder / "floor", bench.units, "--distinct")
    stick.program("full").once()
    noop = median(stick.program("noop"), bench.rounds)
    for command in READING:
        taken = median(_calls(world, command), bench.rounds, world.forget_cache)
        yield bench.ratio(f"{command}, cold", taken, "floor noop --distinct", noop, 4)


def repository_size(bench: Bench) -> Iterator[Row]:
    """Memory in a repository with many files that no unit reads."""
    world = NylWorld.lay(bench.folder / "large", bench.nyl, bench.units, files=50_000)
    first = world.reconcile().once()
    yield bench.count("memory, first run, 50,000 files", first.mebibytes, 120, " MiB")
    again = median(world.reconcile(), 1)
    yield bench.count("memory, reconcile, 50,000 files", again.mebibytes, 120, " MiB")


def git_processes(bench: Bench) -> Iterator[Row]:
    """Git child processes and round trips, by a git that counts."""
    for units in (10, bench.units):
        world = NylWorld.lay(bench.folder / "counted", bench.nyl, units)
        recorder = GitRecorder.install(bench.folder / f"recorder-{units}")
        counted = NylWorld(world.folder, world.executable, world.environ | recorder.environ(world.environ["PATH"]))
        counted.reconcile().once()
        batches = recorder.subcommands().count("push") - 3
        yield bench.count(f"round trips, first run of {units}", len(recorder.round_trips()), 4 + max(batches, 1))
        recorder.forget()
        counted.reconcile().once()
        yield bench.count(f"git processes, reconcile of {units}", len(recorder.calls()), 12)
        yield bench.count(f"round trips, reconcile of {units}", len(recorder.round_trips()), 3)


def takeovers(bench: Bench) -> Iterator[Row]:
    """A run that imports a checkpoint of every unit against one that changes nothing."""
    taken, again = takeover(DeadRun.lay(bench.folder / "dead", bench.nyl, bench.units), bench.rounds)
    yield bench.ratio(f"takeover of {bench.units} checkpoints", taken, "reconcile, warm", again, 2)


def operations(bench: Bench) -> Iterator[Row]:
    """Holding, resuming and recovering one unit, against a run without changes."""
    world = NylWorld.lay(bench.folder / "operations", bench.nyl, bench.units)
    world.reconcile().once()
    unchanged = median(world.reconcile(), bench.rounds)
    world.fail("u0000")
    calls = {"hold": (), "resume": (), "recover": ("--retry", "--reason", "bench")}
    samples: dict[str, list[Sample]] = {name: [] for name in calls}
    for _ in range(bench.rounds):
        world.reconcile(exits=(3,)).once()
        for name, options in calls.items():
            samples[name].append(world.program(name, "-e", "bench", "--unit", "u0000", *options).once())
    for name, taken in samples.items():
        yield bench.ratio(f"{name} one unit", middle(taken), "reconcile, warm", unchanged, 1.3)


def hooks(bench: Bench) -> Iterator[Row]:
    """The pre-push hook for one new commit over 100 units, against the imports that a check may need."""
    world = NylWorld.lay(bench.folder / "hooks", bench.nyl, 100)
    world.program("hooks", "install").once()
    imports = (str(bench.nyl.parent / "python"), "-c", "import yaml, jinja2, jsonschema")
    hook = ("sh", "-c", "exec .git/hooks/pre-push origin ../remote.git < ../pushed")
    needed, taken = [], []
    for _ in range(bench.rounds * 2):  # in turns, so that a machine that is busy for a while slows both
        needed.append(Program(imports, world.work, world.environ).once())
        world.commit_to_push()
        taken.append(Program(hook, world.work, world.environ).once())
    yield bench.ratio("pre-push hook, 100 units", middle(taken), "import yaml, jinja2, jsonschema", middle(needed), 3)


def comments(bench: Bench) -> Iterator[Row]:
    """Rendering a comment on 600 units, against the plan that it tells of."""
    world = NylWorld.lay(bench.folder / "comments", bench.nyl, 600)
    rendering, planning = commented_plan(world, bench.rounds)
    yield bench.ratio("comment on 600 units", rendering, "their plan", planning, 0.05)


def _peers(bench: Bench) -> list[peers.Measured]:
    programs = peers.install(ROOT / ".venv-bench")
    return peers.measure(bench.yardsticks, programs, bench.folder / "peers", bench.units, bench.rounds)


def _calls(world: NylWorld, command: str) -> Program:
    return world.reconcile() if command == "reconcile" else world.program(command, "-e", "bench")


def _first_run(bench: Bench, units: int) -> Sample:
    samples = []
    for _ in range(bench.rounds):
        world = NylWorld.lay(bench.folder / f"nyl-{units}", bench.nyl, units)
        samples.append(world.reconcile().once())
    return middle(samples)


def _full(bench: Bench) -> Sample:
    samples = []
    for _ in range(bench.rounds):
        stick = Yardstick.lay(bench.yardsticks / "floor.py", bench.folder / "full", bench.units)
        samples.append(stick.program("full").once())
    return middle(samples)


def _install_nyl(folder: Path) -> Path:
    """nyl from a wheel, in a virtual environment on the tmpfs."""
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", ROOT], check=True)
    return python.parent / "nyl"


def _print(rows: list[Row]) -> None:
    widths = [max(len(getattr(row, name)) for row in rows) for name in ("job", "value", "against")]
    for row in rows:
        cells = [row.job.ljust(widths[0]), row.value.rjust(widths[1]), row.against.ljust(widths[2])]
        print("  ".join([*cells, f"{row.ratio:6.2f}", _goal(row)]).rstrip())


def _goal(row: Row) -> str:
    if math.isinf(row.goal):
        return "for comparison"
    return f"goal {row.goal:g}" if row.reached else f"goal {row.goal:g}  MISSED"


BENCHMARKS = {
    "start-up": start_up,
    "runs": runs,
    "takeovers": takeovers,
    "repository-size": repository_size,
    "git-processes": git_processes,
    "operations": operations,
    "comments": comments,
    "hooks": hooks,
    "trees": trees,
    "drivers": drivers,
}


def main() -> int:
    """Runs the benchmarks that the command line asks for. Gives 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--yardsticks", type=Path, default=ROOT.parent / "shared" / "bench")
    parser.add_argument("--only", action="append", choices=BENCHMARKS, help="measure these alone")
    parser.add_argument("--peers", action="store_true", help="also measure doit, dvc, snakemake and terraform")
    parser.add_argument("--units", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    if not (asked.yardsticks / "floor.py").exists():
        parser.error(f"no floor.py in {asked.yardsticks}; name its folder with --yardsticks")
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="nyl-bench-", dir=memory if memory.is_dir() else None))
    try:
        bench = Bench(folder, asked.yardsticks.resolve(), _install_nyl(folder), asked.units, asked.rounds, asked.peers)
        rows = [row for name in asked.only or BENCHMARKS for row in BENCHMARKS[name](bench)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    _print(rows)
    return 0 if all(row.reached for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
