"""An expander with the real helm, and bundles to expand."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nyl.core.cache import Cache
from nyl.core.cancellation import CancellationToken
from nyl.core.clock import SystemClock
from nyl.core.diagnostics import Location
from nyl.git.bare import lay_bare
from nyl.git.repository import Repository
from nyl.kubernetes.expansion.artifacts import CachedArtifacts
from nyl.kubernetes.expansion.context import Expansion, ExpansionContext, ExpansionProject
from nyl.kubernetes.expansion.expander import Expander
from nyl.kubernetes.git_files import GitFiles
from nyl.kubernetes.manifests import Manifest
from tests.support.environment import clean_environment
from tests.support.kubernetes_charts import MemoryTree
from tests.support.kubernetes_tools import helm, tool_path

PLACE = Location("apps/web.yaml", 5)


def manifest(value: Mapping[str, Any], line: int = 5) -> Manifest:
    """An object of the bundle."""
    return Manifest(value, (f"apps/web.yaml:{line}",), Location("apps/web.yaml", line))


def helm_chart(chart: str | Mapping[str, Any], name: str = "web", **spec: Any) -> Manifest:
    """A HelmChart; the chart by its name or as it is written."""
    written = {"name": chart} if isinstance(chart, str) else chart
    value = {"apiVersion": "k8s.nyl/v1", "kind": "HelmChart", "metadata": {"name": name}}
    return manifest({**value, "spec": {"chart": written, **spec}})


def component(kind: str, name: str = "web", **spec: Any) -> Manifest:
    """A Component."""
    value = {"apiVersion": "components.k8s.nyl/v1", "kind": kind, "metadata": {"name": name}}
    return manifest({**value, "spec": spec} if spec else value)


@contextmanager
def expander(folder: Path, helm_version: str = "helm3", **options: Any) -> Iterator[Expander]:
    """An expander whose caches are below a folder."""
    environ = {**os.environ, "PATH": tool_path(helm(helm_version))}
    cache = Cache(folder / "cache.sqlite")
    artifacts = options.pop("artifacts", CachedArtifacts(folder / "artifacts"))
    git = options.pop("git", None) or git_files(folder)
    cancellation = options.pop("cancellation", None) or CancellationToken()
    with Expander(artifacts, git, environ, cache, cancellation, **options) as made:
        yield made
    git.close()


def git_files(folder: Path) -> GitFiles:
    """What reads other repositories, for a project that is an empty repository below a folder."""
    environ = clean_environment(folder / "home")
    project = folder / "repository"
    lay_bare(project, "sha1")
    return GitFiles(Repository.discover(project, environ, SystemClock()), folder / "mirrors")


def expand(folder: Path, files: Mapping[str, str | bytes], *manifests: Manifest, **options: Any) -> Expansion:
    """What some objects expand to in a project with these files; `helm_version` and settings of the project."""
    version = options.pop("helm_version", "helm3")
    settings = {key: options.pop(key) for key in ("namespace", "kube_version", "api_versions") if key in options}
    tree = options.pop("tree", None) or MemoryTree(files)
    project = ExpansionProject(tree, options.pop("within", ""), **options)
    with expander(folder, version) as made:
        return made.expand(manifests, ExpansionContext(project, **{"namespace": "web", **settings}))
