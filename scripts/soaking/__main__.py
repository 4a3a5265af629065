"""The command line of `scripts/soak`."""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from scripts.soaking.findings import Findings
from scripts.soaking.forms import FORMS, Soak
from tests.scenarios.crash_matrix import STORIES
from tests.support.forks import Forks


def main() -> int:
    """Runs the chosen forms by turns until the time is over."""
    options = _parser().parse_args()
    forms = options.forms or list(FORMS)
    findings = Findings(time.monotonic() + options.minutes * 60)
    print(f"soaking {', '.join(forms)} with seed {options.seed} for {options.minutes:g} minutes", flush=True)
    with tempfile.TemporaryDirectory(prefix="nyl-soak-", dir=options.keep or _fast_folder()) as folder:
        forks = Forks(Path(folder) / "calls")
        soak = Soak(options.seed, Path(folder), forks, options.story, options.processes)
        try:
            _take_turns([FORMS[each](soak) for each in forms], findings)
        finally:
            forks.close()
    print(findings.summary, flush=True)
    return 1 if findings.wrong else 0


def _take_turns(forms: "list[Iterator[tuple[str, list[str]]]]", findings: Findings) -> None:
    """One case of each form after the other, until each is through or the time is over."""
    while forms and not findings.over:
        for form in list(forms):
            case = next(form, None)
            if case is None:
                forms.remove(form)
            else:
                findings.add(*case)


def _fast_folder() -> str | None:
    memory = Path("/dev/shm")
    return str(memory) if memory.is_dir() else None


def _form(name: str) -> str:
    if name not in FORMS:
        raise argparse.ArgumentTypeError(f"{name} is none of {', '.join(FORMS)}")
    return name


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/soak", description="Look for what breaks nyl.")
    add = parser.add_argument
    # Not `choices`: where none is named, argparse of some Pythons holds the empty list against them.
    add("forms", nargs="*", type=_form, metavar="FORM", help=f"{', '.join(FORMS)}; all of them by default")
    add("--seed", type=int, default=1, help="what decides everything that is random (default: 1)")
    add("--minutes", type=float, default=10.0, help="when to stop (default: 10)")
    add("--story", action="append", choices=list(STORIES), help="only these stories of the crash matrix")
    add("--processes", type=int, choices=range(2, 9), metavar="N", help="how many race (default: 2 to 8)")
    add("--keep", metavar="DIR", help="where the worlds are built; default: in memory where possible")
    return parser


if __name__ == "__main__":
    sys.exit(main())
