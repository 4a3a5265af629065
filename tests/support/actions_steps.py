"""The steps of a run of GitHub Actions: how each ended, and stand-ins for actions that the network would bring."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tests.support.environment import nyl_executable
from tests.support.runner_commands import Processed, process

Inputs = Mapping[str, str]
StandIn = Callable[[Inputs], Mapping[str, str]]
"""Inputs of an action -> its outputs."""


def setup_python(_inputs: Inputs) -> dict[str, str]:
    """actions/setup-python: the Python of the tests."""
    return {"python-path": sys.executable, "python-version": "{}.{}.{}".format(*sys.version_info)}


def restored_cache(inputs: Inputs) -> dict[str, str]:
    """actions/cache, with the nyl of the tests in the cached folder."""
    programs = Path(inputs["path"]) / "bin"
    programs.mkdir(parents=True)
    (programs / "nyl").symlink_to(nyl_executable())
    return {"cache-hit": "true"}


def nothing(_inputs: Inputs) -> dict[str, str]:
    """An action that puts nothing out."""
    return {}


STAND_INS: Mapping[str, StandIn] = {
    "actions/checkout": nothing,
    "actions/setup-python": setup_python,
    "actions/cache": restored_cache,
    "actions/upload-artifact": nothing,
    "actions/download-artifact": nothing,
}


@dataclass
class StepRun:
    """How one step of a `run:` script or of a `uses:` ended."""

    id: str
    name: str
    outcome: str
    """success, failure or skipped."""
    conclusion: str
    """The same after `continue-on-error`."""
    outputs: Mapping[str, str] = field(default_factory=dict)
    code: int = 0
    lines: list[str] = field(default_factory=list)
    summary: str = ""

    @cached_property
    def log(self) -> Processed:
        """The log after the runner read it."""
        return process(self.lines)

    @property
    def text(self) -> str:
        """The raw log."""
        return "\n".join(self.lines)


@dataclass
class StepsRun:
    """How the steps of an action or a job ended."""

    steps: list[StepRun] = field(default_factory=list)
    outputs: Mapping[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether a step failed."""
        return any(each.conclusion == "failure" for each in self.steps)

    def step(self, id: str) -> StepRun:
        """The step of an id."""
        return next(each for each in self.steps if each.id == id)

    @property
    def text(self) -> str:
        """The raw logs of all steps."""
        return "\n".join(each.text for each in self.steps)
