"""What validation says of Kubernetes resources, and what Kubernetes costs those who do not use it: nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.engine.requests import Selection, ValidateRequest
from nyl.engine.validate import validate
from tests.engine.projects import workspace
from tests.support.publication_worlds import PublicationWorld


@pytest.mark.parametrize("module", ["nyl.engine.plan", "nyl.engine.reconcile", "nyl.engine.validate", "nyl.cli.main"])
def test_projects_without_targets_import_nothing_of_trees(module: str) -> None:
    script = f"import sys, {module}; print(*(each for each in sys.modules if each.startswith('nyl.kubernetes')))"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == ""


def test_validate_recognises_the_projects_own_repository_by_its_path(tmp_path: Path) -> None:
    world = PublicationWorld(tmp_path)
    target = (world.project / "target.yaml").read_text().replace("{name: prod}", "{name: eu}")
    place = f"{{repository: {{repoURL: {world.origin}}}, pathPrefix: prod, revision: deploy}}"
    world.write("z.yaml", target.replace("{revision: deploy}", place)).commit()
    world.git("remote", "set-url", "origin", "../origin.git")
    found = validate(workspace(world), ValidateRequest(Selection())).all_diagnostics
    assert Code.TARGET_OVERLAP in {each.code for each in found}
