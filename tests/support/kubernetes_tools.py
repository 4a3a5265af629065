"""The real helm and kubectl for tests: those that scripts/tools installs, or those on PATH."""

import os
from pathlib import Path

from tests.support.tools import missing, tool

_TOOLS = Path(__file__).parent.parent.parent / ".tools"
HELM_VERSIONS = ("helm3", "helm4")


def helm(version: str = "helm3") -> Path:
    """The program `helm` of a major version."""
    return _found("helm", version)


def kubectl() -> Path:
    """The program `kubectl`."""
    return _found("kubectl", "helm3")


def tool_path(*programs: Path) -> str:
    """A PATH on which these programs are found first, and what tests otherwise need."""
    return os.pathsep.join([*(str(each.parent) for each in programs), os.environ["PATH"]])


def _found(program: str, folder: str) -> Path:
    installed = _TOOLS / folder / program
    if installed.exists():
        return installed
    if folder == "helm4":
        missing("helm (helm4) is not installed; `scripts/tools` installs it")
    return tool(program, "`scripts/tools` installs it")
