"""Telling running tools that their run was cancelled."""

import os
import signal
import weakref


class _Flag:
    """Something that happens once, and that a poll loop can wait for."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self.up = False
        weakref.finalize(self, _close, self._read, self._write)

    def fileno(self) -> int:
        """A descriptor that stays readable once the flag is up."""
        return self._read

    def raise_(self) -> None:
        if not self.up:
            self.up = True
            os.write(self._write, b"!")


class CancellationToken:
    """Cancels the tools of a run. `cancel` may be called from a signal handler and from any thread."""

    def __init__(self) -> None:
        self.requested = _Flag()
        """Up after the first cancel: tools are asked to end."""

        self.hurried = _Flag()
        """Up after the second cancel: tools are killed."""

        self.signal = signal.SIGTERM
        """What is passed on to the tools."""

    @property
    def cancelled(self) -> bool:
        """Whether the run was cancelled."""
        return self.requested.up

    def cancel(self, number: int = signal.SIGTERM) -> None:
        """Passes a signal on to the running tools (SIGHUP counts as SIGTERM). A second call kills them."""
        if self.requested.up:
            self.hurried.raise_()
            return
        self.signal = signal.SIGINT if number == signal.SIGINT else signal.SIGTERM
        self.requested.raise_()


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
