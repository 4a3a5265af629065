"""The Kubernetes pages of the guide, followed word by word in one project."""

import re
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path

import yaml

from tests.support.environment import clean_environment
from tests.support.warm import run_warm

GUIDE = Path(__file__).parents[2] / "docs/guide"
PAGES = ("kubernetes.md", "release-inputs.md", "publishing.md", "publication-units.md")
_BLOCK = re.compile(r"^```(sh|yaml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# (\S+\.yaml)\n")


def test_the_pages_can_be_followed_in_order(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    environ = clean_environment(tmp_path / "home")
    printed = ""
    for kind, text in _blocks():
        if kind == "sh":
            printed += "".join(_run(line, folder, environ) for line in text.splitlines())
            if "render-tree" in text:
                assert _files(folder / "rendered/staging") == _shown_tree()
        elif (named := _FILE.match(text)) is not None:
            file = folder / named.group(1)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    assert "image: registry.example.com/web@sha256:4f0c" in printed, "the promoted image"
    assert "replicas: 5" in printed
    assert "nyl: publish production at" in printed
    assert re.search(r"kubernetes +KubernetesPublication +executed", printed), "the publication of the environment"
    assert "shop.example.com" in _published(tmp_path / "shop.git", environ)


def test_the_workflow_of_the_guide_can_be_read() -> None:
    workflow = next(text for _, text in _BLOCK.findall((GUIDE / "publishing.md").read_text()) if "jobs:" in text)
    document = yaml.load(workflow, yaml.BaseLoader)
    assert document["permissions"] == {}
    assert set(document["jobs"]) == {"diff", "publish"}


def _blocks() -> list[tuple[str, str]]:
    return [found for page in PAGES for found in _BLOCK.findall((GUIDE / page).read_text())]


def _run(line: str, folder: Path, environ: Mapping[str, str]) -> str:
    """What a command of a page prints; those of nyl itself are called without a new Python each time."""
    if line.startswith("nyl "):
        return run_warm(shlex.split(line)[1:], cwd=folder, environ=environ, exits=(0,), timeout=60).stdout
    done = subprocess.run(
        ["sh", "-e", "-c", line], cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{line}\n{done.stderr}"
    return done.stdout


def _files(tree: Path) -> list[str]:
    return sorted(path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file())


def _shown_tree() -> list[str]:
    shown = re.search(r"```text\n(shop/web.*?)```", (GUIDE / "kubernetes.md").read_text(), re.DOTALL)
    assert shown is not None
    return sorted(line.split()[0] for line in shown.group(1).splitlines())


def _published(repository: Path, environ: dict[str, str]) -> str:
    path = "deploy/production:production/shop/web/deployment.apps/shop/web.yaml"
    command = ["git", "-C", str(repository), "show", path]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout
