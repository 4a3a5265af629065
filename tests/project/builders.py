"""Projects on disk, and kinds of units that need no driver."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from nyl.core.cache import Cache
from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, NylError
from nyl.git.status import Changed, ChangeKind
from nyl.project.config import load_config
from nyl.project.discovery import Project, discover
from nyl.project.trees import WorktreeTree
from nyl.project.units import UnitKind

UNITS = "units.gitops.nyl/v1"
OTHER = "test.example/v1"

ENVIRONMENT = """\
apiVersion: gitops.nyl/v1
kind: Environment
metadata:
  name: dev
  labels: {stage: dev}
spec:
  values: {size: small}
"""

UNIT = """\
apiVersion: units.gitops.nyl/v1
kind: Command
metadata:
  name: web
spec:
  command: ['./web.sh', '{{ values.size }}']
"""

COMMAND = UnitKind(
    UNITS,
    "Command",
    "1",
    {
        "properties": {
            "command": {"type": "array", "items": {"type": "string"}, "minItems": 1},
            "files": {"type": "array", "items": {"type": "string"}},
            "values": {"type": "object"},
        },
        "required": ["command"],
    },
    ("/values",),
    timedelta(minutes=30),
)

IMAGE = UnitKind(
    OTHER,
    "Image",
    "1",
    {
        "properties": {
            "source": {"type": "object"},
            "arguments": {"type": "object", "additionalProperties": {"type": "string"}},
        }
    },
    ("/arguments",),
    timedelta(minutes=60),
)


@dataclass
class Kinds:
    """Some kinds, and how often their groups were asked for."""

    kinds: tuple[UnitKind, ...] = (COMMAND, IMAGE)
    asked: int = field(default=0)

    def groups(self) -> frozenset[str]:
        self.asked += 1
        return frozenset(kind.api_version for kind in self.kinds)

    def find(self, api_version: str, kind: str) -> UnitKind | None:
        return next((each for each in self.kinds if (each.api_version, each.kind) == (api_version, kind)), None)

    def names(self, api_version: str) -> tuple[str, ...]:
        return tuple(each.kind for each in self.kinds if each.api_version == api_version)


def tree_of(root: Path, files: Mapping[str, str | bytes], folder: str = "") -> WorktreeTree:
    """The working tree of some new files."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return WorktreeTree(root, None, {name: Changed(ChangeKind.UNTRACKED) for name in files}, folder)


def project_of(
    root: Path,
    files: Mapping[str, str | bytes],
    config: str = "",
    kinds: Kinds | None = None,
    cache: Cache | None = None,
) -> Project:
    """The project of some new files."""
    tree = tree_of(root, files)
    return discover(tree, load_config(config.encode()), kinds or Kinds(), cache or Cache(None))


def problems_of(root: Path, files: Mapping[str, str | bytes], config: str = "") -> list[Diagnostic]:
    """What is wrong with the project of some new files, its templates included."""

    def check() -> None:
        project = project_of(root, files, config)
        for environment in project.environments.values():
            project.render(environment)

    with pytest.raises(NylError) as caught:
        check()
    return list(caught.value.diagnostics)


def the_problem(root: Path, files: Mapping[str, str | bytes], code: Code, file: str, line: int) -> Diagnostic:
    """The one problem of a project, which has a code and a place, names the place in its message, and has a fix."""
    (found,) = problems_of(root, files)
    assert found.location is not None
    assert (found.code, found.location.file, found.location.line) == (code, file, line), found
    assert f"{file}:{line}" in found.message
    assert found.fix
    return found


def spec_of(root: Path, unit: str, environment: str = ENVIRONMENT, config: str = "") -> Mapping[str, Any]:
    """The rendered spec of the unit `web`."""
    project = project_of(root, {"dev.yaml": environment, "web.yaml": unit}, config)
    return project.render(project.environments["dev"]).units["web"].spec
