"""Units of other people's tools against those tools alone. What is divided is measured in turns."""

from collections.abc import Iterator

from scripts.benchmarks.kubernetes_worlds import KubernetesWorld
from scripts.benchmarks.measure import in_turns, middle
from scripts.benchmarks.rows import Bench, Row
from scripts.benchmarks.terraform_worlds import ByHand, TerraformWorld

_UNCHANGED = 100
_FIRST = 20
_RELEASES = 100


def drivers(bench: Bench) -> Iterator[Row]:
    """Terraform units without changes and at their first run, and publications through a unit."""
    yield from _unchanged(bench)
    yield _first_run(bench)
    yield from _publications(bench)


def _unchanged(bench: Bench) -> Iterator[Row]:
    terraform = TerraformWorld.terraform(bench.folder / "terraform", bench.nyl, _UNCHANGED)
    commands = TerraformWorld.commands(bench.folder / "commands", bench.nyl, _UNCHANGED)
    for world in (terraform, commands):
        world.reconcile().once()
    one, other = in_turns(terraform.reconcile(), commands.reconcile(), bench.rounds * 2)
    job = f"reconcile of {_UNCHANGED} Terraform units, warm"
    yield bench.ratio(job, one, f"{_UNCHANGED} Commands", other, 1.2)
    yield bench.count(f"terraform starts, {job}", terraform.starts(), 0)


def _first_run(bench: Bench) -> Row:
    ours, bare = [], []
    for _ in range(bench.rounds * 2):
        bare.append(ByHand.lay(bench.folder / "by-hand", _FIRST).program().once())
        ours.append(TerraformWorld.terraform(bench.folder / "first", bench.nyl, _FIRST).reconcile().once())
    job = f"first run of {_FIRST} Terraform units"
    return bench.ratio(job, middle(ours), "init, plan, apply, output of each", middle(bare), 1.25)


def _publications(bench: Bench) -> Iterator[Row]:
    through = KubernetesWorld.with_unit(bench.folder / "through-unit", bench.nyl, _RELEASES)
    itself = KubernetesWorld.plain(bench.folder / "itself", bench.nyl, _RELEASES)
    for publication in (through.reconcile(), itself.publish()):
        publication.once()
    job = f"publication of {_RELEASES} Releases through a unit"
    one, other = in_turns(through.reconcile(), itself.publish(), bench.rounds * 2)
    yield bench.ratio(f"{job}, no change", one, "publish-tree", other, 1.2)

    def commit() -> None:
        for world in (through, itself):
            world.commit_unrelated()

    one, other = in_turns(through.reconcile(), itself.publish(), bench.rounds * 2, commit)
    yield bench.ratio(f"{job}, another commit", one, "publish-tree", other, 1.2)
