"""The same graph for tools that one would take instead."""

import os
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

from scripts.benchmarks.measure import Program, Sample, median
from tests.support.environment import clean_environment

_PACKAGES = ("doit", "dvc", "snakemake")


@dataclass(frozen=True)
class Peer:
    """A tool: what it is called in the generator, how it runs everything, and how it finds nothing to do."""

    name: str
    first: tuple[str, ...]
    again: tuple[str, ...]

    @property
    def runs_first(self) -> bool:
        """Whether its first run ends within a sensible time."""
        return bool(self.first)


PEERS = (
    Peer(
        "terraform",
        ("terraform", "apply", "-auto-approve", "-input=false", "-no-color", "-parallelism=4"),
        ("terraform", "plan", "-input=false", "-no-color"),
    ),
    Peer("snakemake", ("snakemake", "--cores", "4", "--quiet", "all"), ("snakemake", "--cores", "4", "--quiet", "all")),
    Peer("doit", ("doit", "-n", "4"), ("doit",)),
    Peer("dvc", (), ("dvc", "repro")),
)


@dataclass(frozen=True)
class Measured:
    """A peer's times; `first` is None where a first run takes minutes."""

    name: str
    first: Sample | None
    again: Sample


def install(folder: Path) -> Path:
    """The programs' folder of a virtual environment with the peers, made unless it is there."""
    programs = folder / "bin"
    if not all((programs / name).exists() for name in _PACKAGES):
        venv.create(folder, with_pip=True)
        subprocess.run([programs / "python", "-m", "pip", "install", "-q", *_PACKAGES], check=True)
    return programs


def measure(yardsticks: Path, programs: Path, folder: Path, units: int, rounds: int) -> list[Measured]:
    """Every peer's first run and its run without changes; a tool that is not there is left out, and said so."""
    environ = clean_environment(folder / "peer-home") | {"CHECKPOINT_DISABLE": "1", "DVC_NO_ANALYTICS": "1"}
    environ["PATH"] = f"{programs}:{os.defpath}:/usr/local/bin"
    found = []
    for peer in PEERS:
        if shutil.which(peer.again[0], path=environ["PATH"]) is None:
            print(f"{peer.name} is not on PATH; left out", file=sys.stderr)
            continue
        found.append(_measure(peer, yardsticks, folder / peer.name, environ, units, rounds))
    return found


def _measure(peer: Peer, yardsticks: Path, folder: Path, environ: dict[str, str], units: int, rounds: int) -> Measured:
    folder.mkdir(parents=True)
    place = folder / "work"

    def lay() -> None:
        argv = [sys.executable, str(yardsticks / "gen_units.py"), peer.name, str(units), str(place)]
        subprocess.run(argv, env=environ, check=True, stdout=subprocess.DEVNULL)

    lay()
    first = None
    if peer.runs_first:
        first = median(Program(peer.first, place, environ), rounds, lay)
    else:
        _record_as_done(place, environ)
    return Measured(peer.name, first, median(Program(peer.again, place, environ), rounds))


def _record_as_done(place: Path, environ: dict[str, str]) -> None:
    """Makes the outputs by hand and has dvc take them as they are, which its first run of minutes would end with."""
    (place / "outputs").mkdir(exist_ok=True)
    for each in (place / "inputs").iterdir():
        (place / "outputs" / each.name).write_text("ok\n")
    subprocess.run(["dvc", "commit", "-q", "-f"], cwd=place, env=environ, check=True)
