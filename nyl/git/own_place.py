"""Where a project's own repository is, for telling whether a URL means it."""

import posixpath

from nyl.git.repository import Repository
from nyl.git.urls import is_relative

ORIGIN = "origin"
"""The remote that is the project's own repository, where there is one."""


def own_place(repository: Repository) -> str:
    """Where the project's own repository is, for comparing: the URL of `origin`, or a folder without one.

    A relative URL is made absolute as Git does it.
    """
    url = repository.remote_url(ORIGIN)
    if url is None:
        return str(repository.common_dir)
    return posixpath.join(repository.root or repository.git_dir, url) if is_relative(url) else url
