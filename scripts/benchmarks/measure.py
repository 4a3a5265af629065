"""Timing programs: wall seconds and peak memory."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Sample:
    """One run of a program: wall seconds and the most memory that it, or a child of it, held in MiB."""

    seconds: float
    mebibytes: float


@dataclass(frozen=True)
class Program:
    """Something to run: arguments, folder, variables, and the exits that are fine."""

    argv: tuple[str, ...]
    cwd: Path
    environ: Mapping[str, str]
    exits: tuple[int, ...] = (0,)

    def once(self) -> Sample:
        """Runs it with its output thrown away; ends the benchmark if it fails."""
        with (self.cwd.parent / "bench-stderr").open("wb") as errors:
            start = time.perf_counter()
            child = subprocess.Popen(
                self.argv,
                cwd=self.cwd,
                env=dict(self.environ),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )
            _, status, usage = os.wait4(child.pid, 0)
            seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in self.exits:
            said = (self.cwd.parent / "bench-stderr").read_text(errors="replace")[-2000:]
            sys.exit(f"{' '.join(self.argv)}: exit {child.returncode}\n{said}")
        return Sample(seconds, usage.ru_maxrss / 1024)


def median(program: Program, rounds: int, before: Callable[[], object] | None = None) -> Sample:
    """The median of some runs after one that does not count; `before` prepares each, unmeasured."""
    samples: list[Sample] = []
    for round_number in range(rounds + 1):
        if before is not None:
            before()
        sample = program.once()
        if round_number:
            samples.append(sample)
    return middle(samples)


def in_turns(
    one: Program, other: Program, rounds: int, before: Callable[[], object] = lambda: None
) -> tuple[Sample, Sample]:
    """The medians of two programs that run in turns, so that a machine that is busy for a while slows both.

    The first round does not count; `before` prepares each round, unmeasured.
    """
    samples = []
    for _ in range(rounds + 1):
        before()
        samples.append((one.once(), other.once()))
    return middle([each for each, _ in samples[1:]]), middle([each for _, each in samples[1:]])


def middle(samples: Sequence[Sample]) -> Sample:
    """The medians of samples."""
    return Sample(statistics.median(each.seconds for each in samples), max(each.mebibytes for each in samples))
