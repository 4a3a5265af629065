"""Folders that discovery leaves out: the cache, the vendor folder and rendered output.

Follows Discovery in the project specification and Files in the Kubernetes specification.
"""

import posixpath
from collections.abc import Iterable

from nyl.project.config import ProjectConfig

INDEX = "_nyl/index.json"
"""What marks a folder as rendered output."""


def left_out(files: Iterable[str], project_folder: str, config: ProjectConfig) -> tuple[str, ...]:
    """The folders, each with a slash at its end. Output is any folder below the project's that holds an index.

    The project's own folder is never output as a whole, or a tree rendered right into it would hide the project: only
    what nyl writes beside the manifests is left out of it.
    """
    configured = [_folder(project_folder, each) for each in (config.cache_dir, config.vendor.path)]
    return (*configured, *output_folders(files, project_folder))


def output_folders(files: Iterable[str], project_folder: str) -> tuple[str, ...]:
    """The folders of rendered output among some files, each with a slash at its end."""
    found = [file.removesuffix(INDEX) for file in files if file.endswith(f"/{INDEX}") or file == INDEX]
    own = f"{project_folder}/" if project_folder else ""
    return tuple(f"{own}_nyl/" if folder == own else folder for folder in found)


def _folder(project_folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(project_folder, path)) + "/"
