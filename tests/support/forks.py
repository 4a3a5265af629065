"""Calls of nyl in forked children of one warm process: cheap enough for thousands, and each can die at a point."""

import itertools
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.processes import Invocation

SECONDS = 180.0
KILLED = -signal.SIGKILL


@dataclass(frozen=True)
class Delays:
    """Pauses at fault points, decided by a seed."""

    seed: str
    longest: float


@dataclass(frozen=True)
class Faults:
    """What happens at the fault points of one call. A point is `<name> #<occurrence>`, counted from 1.

    `die_index` names it by its place among all points that are passed, counted from 0. `trace` is a file that takes
    every point that is passed.
    """

    die_at: str | None = None
    die_index: int | None = None
    signal: int = signal.SIGKILL
    """What it dies of, or is told there."""
    trace: Path | None = None
    delays: Delays | None = None


NO_FAULTS = Faults()


@dataclass
class Call:
    """One call under way."""

    number: int
    argv: tuple[str, ...]
    stdout: Path
    stderr: Path
    pid: int = 0
    code: int | None = None

    def ended(self) -> Invocation:
        """How it ended."""
        assert self.code is not None
        read = (each.read_text(errors="replace") for each in (self.stdout, self.stderr))
        return Invocation(("nyl", *self.argv), self.code, *read)

    def signal(self, number: int) -> None:
        """Sends a signal to nyl alone."""
        os.kill(self.pid, number)


@dataclass
class Forks:
    """The warm process, and the calls that were asked of it. `folder` takes what they print."""

    folder: Path
    _calls: dict[int, Call] = field(default_factory=dict)
    _settled: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        root = Path(__file__).resolve().parents[2]
        self.folder.mkdir(parents=True, exist_ok=True)
        self._numbers = itertools.count(1)
        self._buffer = b""
        self._ready = False
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.support.fork_server"],
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        while not self._ready:
            self._listen(SECONDS)

    @property
    def pid(self) -> int:
        """The warm process, which gets the children of every nyl that is killed."""
        return self._server.pid

    def close(self) -> None:
        """Lets the warm process end."""
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait(timeout=SECONDS)

    def start(
        self,
        argv: Sequence[str | Path],
        *,
        cwd: Path,
        environ: Mapping[str, str],
        faults: Faults = NO_FAULTS,
        later: float = 0.0,
        hurries: bool = False,
        outputs: tuple[Path, Path] | None = None,
    ) -> Call:
        """Starts nyl beside the test. `later` is how many seconds its clock runs ahead; `hurries` skips its pauses.

        `outputs` are what stdout and stderr go to, files of the folder where nothing is given.
        """
        number = next(self._numbers)
        words = tuple(map(str, argv))
        call = Call(number, words, *(outputs or (self.folder / f"{number}.out", self.folder / f"{number}.err")))
        self._calls[number] = call
        delays = faults.delays
        self._send(
            {
                "id": number,
                "argv": words,
                "cwd": str(cwd),
                "environ": dict(environ),
                "stdout": str(call.stdout),
                "stderr": str(call.stderr),
                "die_at": faults.die_at,
                "die_index": faults.die_index,
                "signal": faults.signal,
                "trace": str(faults.trace) if faults.trace else None,
                "delays": {"seed": delays.seed, "longest": delays.longest} if delays else None,
                "later": later,
                "hurries": hurries,
            }
        )
        while not call.pid:
            self._listen(SECONDS)
        return call

    def wait(self, call: Call, timeout: float = SECONDS) -> Invocation:
        """How a call ended. One that does not end in time is killed, which fails the test."""
        while call.code is None:
            try:
                self._listen(timeout)
            except TimeoutError:
                call.signal(signal.SIGKILL)
                raise AssertionError(f"nyl {' '.join(call.argv)} did not end in {timeout} s") from None
        self._calls.pop(call.number, None)
        result = call.ended()
        call.stdout.unlink()
        call.stderr.unlink()
        assert "Traceback (most recent call last)" not in result.stdout + result.stderr, result
        return result

    def looked_at(self, call: Call) -> int | None:
        """How a call ended, None while it runs."""
        while call.code is None:
            try:
                self._listen(0.0)
            except TimeoutError:
                break
        return call.code

    def any_ended(self, calls: Sequence[Call], timeout: float = SECONDS) -> Call:
        """The first of some calls that has ended."""
        while True:
            for call in calls:
                if call.code is not None:
                    return call
            self._listen(timeout)

    def settle(self, timeout: float = SECONDS) -> None:
        """Waits until the tools of calls that were killed have ended, too."""
        number = next(self._numbers)
        self._send({"settle": number})
        while number not in self._settled:
            self._listen(timeout)
        self._settled.discard(number)

    def _send(self, request: Mapping[str, Any]) -> None:
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps(request).encode() + b"\n")
        self._server.stdin.flush()

    def _listen(self, timeout: float) -> None:
        """Takes in what the warm process says next."""
        assert self._server.stdout is not None
        poller = select.poll()  # a process of many tests has more open files than `select` takes
        poller.register(self._server.stdout, select.POLLIN)
        if not poller.poll(timeout * 1000):
            raise TimeoutError
        data = os.read(self._server.stdout.fileno(), 1 << 16)
        assert data, "the process that forks nyl is gone"
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            self._take(json.loads(line))

    def _take(self, answer: Mapping[str, Any]) -> None:
        if "ready" in answer:
            self._ready = True
        elif "settled" in answer:
            self._settled.add(answer["settled"])
        elif "pid" in answer:
            self._calls[answer["id"]].pid = answer["pid"]
        else:
            self._calls[answer["id"]].code = answer["code"]
