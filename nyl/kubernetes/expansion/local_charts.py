"""Charts of the Release's own repository: from its Git-visible files alone, never from the folder on disk."""

import hashlib
from collections.abc import Mapping
from dataclasses import field

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.git.lfs import is_pointer
from nyl.git.trees import TreeEntry
from nyl.kubernetes.expansion.chart_content import CHART_FILE, ChartContent
from nyl.kubernetes.expansion.context import ExpansionProject
from nyl.kubernetes.expansion.references import ChartOrigin, ChartReference
from nyl.project.local_paths import local_path
from nyl.project.trees import WholeTree


@dataclass(frozen=True)
class FoundChart:
    """A chart and what of the project it was taken from, as `Expansion` tells it."""

    content: ChartContent
    sources: Mapping[str, str] = field(default_factory=dict)
    folders: frozenset[str] = frozenset()
    artifacts: Mapping[str, str] = field(default_factory=dict)


def local_chart(reference: ChartReference, project: ExpansionProject) -> FoundChart:
    """The chart that a local reference means, in the first search path that has it.

    Raises NYL-CHART-MISSING when there is none, NYL-PATH-REFUSED for a path outside the repository or through a
    symlink.
    """
    candidates = _candidates(reference, project)
    for folder in candidates:
        entries = dict(project.files.under(folder))
        if f"{folder}/{CHART_FILE}".lstrip("/") in entries:
            content, sources = chart_below(project.files, folder, entries)
            return FoundChart(content, sources, frozenset(candidates[: candidates.index(folder) + 1]))
    raise _missing(reference, project, candidates)


def chart_below(files: WholeTree, folder: str, entries: Mapping[str, TreeEntry]) -> tuple[ChartContent, dict[str, str]]:
    """The chart in a folder, and the SHA-256 of each of its files by path in the repository."""
    for path, entry in entries.items():
        if not entry.is_regular:
            what = "a symlink" if entry.is_symlink else "a submodule"
            raise NylError(
                Code.PATH_REFUSED,
                f"the chart in {folder or 'the root'} holds {path}, which is {what}.",
                "put the file itself there, or leave it out of the chart",
            )
    read = files.read_many(entries)
    for path, data in read.items():
        if is_pointer(data):
            raise NylError(
                Code.SOURCE_INPUT,
                f"{path} of the chart in {folder or 'the root'} is a Git LFS pointer, not the file itself.",
                "keep the files of charts in Git itself",
            )
    skip = len(folder) + 1 if folder else 0
    content = ChartContent({path[skip:]: data for path, data in read.items()})
    return content, {path: hashlib.sha256(data).hexdigest() for path, data in read.items()}


def _candidates(reference: ChartReference, project: ExpansionProject) -> list[str]:
    if reference.origin is ChartOrigin.LOCAL:
        return [local_path(reference.base, project.folder)]
    is_component = reference.origin is ChartOrigin.COMPONENT
    searched = project.components_search_paths if is_component else project.helm_chart_search_paths
    return [local_path(f"{path}/{reference.base}", project.folder) for path in searched]


def _missing(reference: ChartReference, project: ExpansionProject, candidates: list[str]) -> NylError:
    for folder in candidates:
        link = _symlink_on_the_way(project.files, folder)
        if link is not None:
            message = f"the path of the chart {reference} passes through {link}, which is a symlink."
            return NylError(Code.PATH_REFUSED, message, "name the folder that it leads to")
    places = " and ".join(f"{each or '.'}/{CHART_FILE}" for each in candidates) or "no search path"
    message = f"there is no chart {reference} in {project.files.name}: looked for {places}."
    fix = "correct the reference, or add the chart; Git must know its files (`git status` shows those it ignores)"
    return NylError(Code.CHART_MISSING, message, fix)


def _symlink_on_the_way(files: WholeTree, folder: str) -> str | None:
    parts = folder.split("/") if folder else []
    for count in range(1, len(parts) + 1):
        path = "/".join(parts[:count])
        entry = files.entry(path)
        if entry is not None and entry.is_symlink:
            return path
    return None
