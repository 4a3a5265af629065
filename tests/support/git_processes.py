"""Recording every Git child process that a program starts itself."""

import shutil
from dataclasses import dataclass
from pathlib import Path

_WRAPPER = """\
#!/bin/sh
printf '%s\\n' "$(printf '%s\\037' "$@")" >> '{log}'  # one write: others write at the same time
exec '{git}' "$@"
"""

_ROUND_TRIPS = frozenset({"push", "fetch", "ls-remote", "clone", "fetch-pack", "send-pack"})
_OPTIONS_WITH_VALUE = frozenset({"-c", "-C", "--git-dir", "--work-tree", "--namespace", "--exec-path"})


@dataclass(frozen=True)
class GitRecorder:
    """A `git` that comes first on PATH, notes its arguments and becomes the real one.

    What git starts for its own purposes is not noted: it comes from git's own folder.
    """

    folder: Path

    @classmethod
    def install(cls, folder: Path) -> "GitRecorder":
        """Writes the recording `git` into a new folder."""
        folder.mkdir(parents=True)
        real = shutil.which("git", path="/usr/local/bin:/usr/bin:/bin")
        assert real, "git is needed"
        wrapper = folder / "git"
        wrapper.write_text(_WRAPPER.format(log=folder / "calls", git=real))
        wrapper.chmod(0o755)
        return cls(folder)

    def environ(self, path: str) -> dict[str, str]:
        """The variables that put this `git` in front of a PATH."""
        return {"PATH": f"{self.folder}:{path}"}

    def calls(self) -> list[list[str]]:
        """The arguments of every call so far."""
        log = self.folder / "calls"
        return [line.split("\037")[:-1] for line in log.read_text().splitlines()] if log.exists() else []

    def subcommands(self) -> list[str]:
        """The subcommand of every call so far."""
        return [_subcommand(call) for call in self.calls()]

    def round_trips(self) -> list[str]:
        """The subcommands that talk to a remote."""
        return [each for each in self.subcommands() if each in _ROUND_TRIPS]

    def forget(self) -> None:
        """Starts counting anew."""
        (self.folder / "calls").unlink(missing_ok=True)


def _subcommand(arguments: list[str]) -> str:
    rest = iter(arguments)
    for each in rest:
        if each in _OPTIONS_WITH_VALUE:
            next(rest, None)
        elif not each.startswith("-"):
            return each
    return arguments[0] if arguments else ""
