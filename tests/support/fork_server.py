"""A process that has imported all of nyl and forks a child for each call: `python -m tests.support.fork_server`.

It is the one entry point that installs fault hooks: they come with a request, so an installed nyl has no way to be
told of any. Requests are lines of JSON on stdin, answers lines of JSON on stdout. Tools of a nyl that was killed
become children of this process, which therefore knows when the last of them has ended.
"""

import ctypes
import gc
import importlib
import json
import os
import pkgutil
import random
import select
import signal
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

_PR_SET_CHILD_SUBREAPER = 36

_IMPORTED_LATER = (
    *("git", "jsonschema", "yaml", "jinja2", "rich.console", "rfc8785", "pathspec", "uuid_utils"),
    *("difflib", "encodings.utf_8_sig", "sqlite3"),
)
"""What modules of nyl import when it is needed."""


class FaultPlan:
    """What one child does at its fault points: writes them down, pauses, or gets a signal at one of them."""

    def __init__(self, request: dict[str, Any]) -> None:
        self._die_at = request.get("die_at")
        self._die_index = request.get("die_index")
        self._signal = request.get("signal", signal.SIGKILL)
        self._trace = open(request["trace"], "a") if request.get("trace") else None  # noqa: PTH123, SIM115
        delays = request.get("delays")
        self._random = random.Random(delays["seed"]) if delays else None
        self._longest = delays["longest"] if delays else 0.0
        self._counts: dict[str, int] = {}
        self._hits = 0

    def __call__(self, name: str) -> None:
        count = self._counts[name] = self._counts.get(name, 0) + 1
        index, self._hits = self._hits, self._hits + 1
        label = f"{name} #{count}"
        if self._trace:
            self._trace.write(label + "\n")
            self._trace.flush()
        if label == self._die_at or index == self._die_index:
            os.kill(os.getpid(), self._signal)
            time.sleep(60 if self._signal == signal.SIGKILL else 0)
        if self._random and self._random.random() < 0.5:
            time.sleep(self._random.uniform(0, self._longest))


class Server:
    """Forks children on request and tells how they ended."""

    def __init__(self) -> None:
        self._running: dict[int, int] = {}
        self._settling: list[int] = []

    def serve(self) -> None:
        """Answers until stdin closes."""
        wakeup, alarm = os.pipe()
        os.set_blocking(alarm, False)
        os.set_blocking(wakeup, False)
        signal.set_wakeup_fd(alarm)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        buffer = b""
        while True:
            ready, _, _ = select.select([0, wakeup], [], [])
            if wakeup in ready:
                os.read(wakeup, 4096)
            self._reap()
            if 0 in ready:
                data = os.read(0, 1 << 16)
                if not data:
                    return
                *lines, buffer = (buffer + data).split(b"\n")
                for line in lines:
                    self._handle(json.loads(line), (wakeup, alarm))

    def _handle(self, request: dict[str, Any], descriptors: tuple[int, int]) -> None:
        if "settle" in request:
            self._settling.append(request["settle"])
            self._reap()
            return
        outputs = [
            os.open(request[each], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600) for each in ("stdout", "stderr")
        ]
        pid = os.fork()
        if pid == 0:
            _become_nyl(request, outputs, descriptors)
        for each in outputs:
            os.close(each)
        self._running[pid] = request["id"]
        _say({"id": request["id"], "pid": pid})

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                for each in self._settling:
                    _say({"settled": each})
                self._settling.clear()
                return
            if pid == 0:
                return
            if pid in self._running:
                _say({"id": self._running.pop(pid), "code": os.waitstatus_to_exitcode(status)})


def _become_nyl(request: dict[str, Any], outputs: list[int], descriptors: tuple[int, int]) -> None:
    """Runs one command line in a forked child, which ends with its exit code."""
    code = 70
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        for each in descriptors:
            os.close(each)
        _redirect(outputs)
        os.chdir(request["cwd"])
        os.environ.clear()
        os.environ.update(request["environ"])
        sys.argv = ["nyl", *request["argv"]]
        sys.path[1:1] = filter(None, request["environ"].get("PYTHONPATH", "").split(os.pathsep))
        _replace_clock(request.get("later", 0.0), hurries=request.get("hurries", False))
        if any(request.get(each) is not None for each in ("die_at", "die_index", "trace", "delays")):
            from nyl.core import faults

            faults.install(FaultPlan(request))
        from nyl.cli.main import main

        code = main(request["argv"])
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _redirect(outputs: list[int]) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.close(null)
    for descriptor, file in enumerate(outputs, start=1):
        os.dup2(file, descriptor)
        os.close(file)
    sys.stdout = open(1, "w", closefd=False, encoding="utf-8")  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False, encoding="utf-8")  # noqa: SIM115


def _replace_clock(later: float, *, hurries: bool) -> None:
    """Makes it later than it is, so that a lease is past its deadline, or pauses over at once: nobody waits for it."""
    from nyl.cli import surroundings
    from nyl.core.clock import Instant, SystemClock

    class AheadClock(SystemClock):
        ahead = later

        def now(self) -> Instant:
            return super().now() + timedelta(seconds=self.ahead)

        def monotonic(self) -> float:
            return super().monotonic() + self.ahead

        def sleep(self, seconds: float) -> None:
            if hurries:
                self.ahead += seconds
            else:
                super().sleep(seconds)

    if later or hurries:
        clock: Callable[[], SystemClock] = AheadClock
        assert surroundings.__dict__["SystemClock"] is SystemClock
        surroundings.__dict__["SystemClock"] = clock


def _import_everything() -> None:
    import nyl

    for module in pkgutil.walk_packages(nyl.__path__, "nyl."):
        importlib.import_module(module.name)
    for name in _IMPORTED_LATER:
        importlib.import_module(name)


def _say(answer: dict[str, Any]) -> None:
    os.write(1, json.dumps(answer).encode() + b"\n")


def main() -> None:
    """Serves until the test process goes away."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    _import_everything()
    gc.collect()
    gc.freeze()
    _say({"ready": True})
    Server().serve()


if __name__ == "__main__":
    main()
