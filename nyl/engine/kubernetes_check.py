"""The check of what a project declares of Kubernetes: nothing of it is imported for a project that has none."""

from nyl.core.diagnostics import Diagnostic
from nyl.git.repository import Repository
from nyl.project.discovery import Project


def tree_problems(project: Project, repository: Repository) -> tuple[Diagnostic, ...]:
    """What is wrong with the Kubernetes resources of a project of a repository, as far as its files alone tell."""
    if project.kubernetes.is_empty:
        return ()
    from nyl.kubernetes.validation import kubernetes_problems

    return kubernetes_problems(project, repository.remote_url("origin"))
