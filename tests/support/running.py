"""A call of nyl in a fork that goes on beside the test, with pipes: what the test would do to a process of its own."""

import os
import signal
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from tests.support.forks import SECONDS, Call, Forks


@dataclass(frozen=True)
class Running:
    """What `subprocess.Popen` would be, as far as tests need it. Its process leads a session of its own."""

    forks: Forks
    call: Call
    stdout: TextIO
    stderr: TextIO

    @classmethod
    def start(
        cls, forks: Forks, arguments: Sequence[str | Path], *, cwd: Path, environ: Mapping[str, str]
    ) -> "Running":
        """Starts nyl, whose output the test may read meanwhile."""
        pipes = os.pipe(), os.pipe()
        outputs = [Path(f"/proc/{os.getpid()}/fd/{theirs}") for _, theirs in pipes]
        call = forks.start(arguments, cwd=cwd, environ=environ, outputs=(outputs[0], outputs[1]))
        for _, theirs in pipes:
            os.close(theirs)
        stdout, stderr = (os.fdopen(ours, encoding="utf-8", errors="replace") for ours, _ in pipes)
        return cls(forks, call, stdout, stderr)

    @property
    def pid(self) -> int:
        """The process of nyl."""
        return self.call.pid

    @property
    def returncode(self) -> int | None:
        """How it ended, as far as that was looked at."""
        return self.call.code

    def poll(self) -> int | None:
        """How it ended, None while it runs."""
        return self.forks.looked_at(self.call)

    def wait(self, timeout: float = SECONDS) -> int:
        """How it ended. Raises TimeoutError."""
        code = self.forks.any_ended([self.call], timeout).code
        assert code is not None
        return code

    def communicate(self, timeout: float = SECONDS) -> tuple[str, str]:
        """What it still prints until it ends."""
        with ThreadPoolExecutor(2) as readers:
            reading = [readers.submit(each.read) for each in (self.stdout, self.stderr)]
            try:
                self.wait(timeout)
            except TimeoutError:
                os.killpg(self.pid, signal.SIGKILL)
                raise
            stdout, stderr = (each.result(timeout) for each in reading)
        for each in (self.stdout, self.stderr):
            each.close()
        return stdout, stderr

    def send_signal(self, number: int) -> None:
        """Sends a signal to nyl alone, if it still runs."""
        if self.poll() is None:
            self.call.signal(number)

    def terminate(self) -> None:
        """Asks it to end."""
        self.send_signal(signal.SIGTERM)
