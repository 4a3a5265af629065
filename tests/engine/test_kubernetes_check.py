"""What Kubernetes costs those who do not use it: nothing."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["nyl.engine.plan", "nyl.engine.reconcile", "nyl.engine.validate", "nyl.cli.main"])
def test_projects_without_targets_import_nothing_of_trees(module: str) -> None:
    script = f"import sys, {module}; print(*(each for each in sys.modules if each.startswith('nyl.kubernetes')))"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == ""
