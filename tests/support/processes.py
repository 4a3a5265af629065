"""Running programs from outside: `git` for set-up and looking on, `nyl` as its users do."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.support.reports import check_report

SECONDS = 60.0


@dataclass(frozen=True)
class Invocation:
    """How one call of nyl ended."""

    argv: tuple[str, ...]
    code: int
    stdout: str
    stderr: str

    @cached_property
    def json(self) -> dict[str, Any]:
        """The one document on stdout; a report must fit its schema."""
        value = json.loads(self.stdout)
        assert isinstance(value, dict)
        check_report(value)
        return value

    def environment(self, name: str = "dev") -> dict[str, Any]:
        """A report's section of one environment."""
        section: dict[str, Any] = self.json["environments"][name]
        return section

    def unit(self, name: str, environment: str = "dev") -> dict[str, Any]:
        """A report's section of one unit."""
        section: dict[str, Any] = self.environment(environment)["units"][name]
        return section

    def verdicts(self, environment: str = "dev") -> dict[str, str]:
        """Unit -> its result, action or state."""
        units = self.environment(environment)["units"]
        return {
            name: next(unit[key] for key in ("result", "action", "state") if key in unit)
            for name, unit in units.items()
        }

    @property
    def diagnostics(self) -> list[dict[str, Any]]:
        """Every diagnostic of a report; those of its environments stand there, too."""
        return list(self.json.get("diagnostics", []))

    @property
    def codes(self) -> set[str]:
        """The codes of a report's diagnostics."""
        return {each["code"] for each in self.diagnostics}


def run_git(
    *arguments: str | Path, cwd: Path, environ: Mapping[str, str], stdin: str | None = None, check: bool = True
) -> str:
    """What a git command printed, without the final line break. Fails the test when git fails."""
    done = subprocess.run(
        ["git", *map(str, arguments)],
        cwd=cwd,
        env=dict(environ),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert not check or done.returncode == 0, f"git {' '.join(map(str, arguments))}: {done.stderr}"
    return done.stdout.rstrip("\n")


def run_nyl(
    executable: Path,
    arguments: Sequence[str | Path],
    *,
    cwd: Path,
    environ: Mapping[str, str],
    exits: Sequence[int] | None,
    timeout: float = SECONDS,
) -> Invocation:
    """One call of nyl. It must end in time, with one of `exits` (None: any), and without a traceback."""
    argv = (str(executable), *map(str, arguments))
    done = subprocess.run(
        argv, cwd=cwd, env=dict(environ), stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False
    )
    result = Invocation(
        argv, done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    )
    return checked(result, exits)


def checked(result: Invocation, exits: Sequence[int] | None) -> Invocation:
    """A call that must have ended with one of `exits` (None: any), and without a traceback."""
    argv, told = result.argv, f"{result.stdout[-3000:]}\n{result.stderr[-3000:]}"
    shown = f"nyl {' '.join(argv[1:])}: exit {result.code}\n{told}"
    assert exits is None or result.code in exits, f"expected exit {list(exits)}: {shown}"
    assert "Traceback (most recent call last)" not in result.stdout + result.stderr, shown
    return result


def start_nyl(
    executable: Path, arguments: Sequence[str | Path], *, cwd: Path, environ: Mapping[str, str]
) -> subprocess.Popen[str]:
    """A call of nyl that goes on beside the test, in a process group of its own."""
    return subprocess.Popen(
        [str(executable), *map(str, arguments)],
        cwd=cwd,
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
