"""The check of what a project declares of Kubernetes: nothing of it is imported for a project that has none."""

from collections.abc import Iterator
from contextlib import suppress

from nyl.core.diagnostics import Diagnostic, NylError
from nyl.git.own_place import own_place
from nyl.git.repository import Repository
from nyl.project.discovery import Project


def tree_problems(project: Project, repository: Repository) -> tuple[Diagnostic, ...]:
    """What is wrong with the Kubernetes resources of a project of a repository, as far as its files alone tell."""
    if project.kubernetes.is_empty:
        return ()
    from nyl.kubernetes.validation import kubernetes_problems

    return (*kubernetes_problems(project, own_place(repository)), *_on_state(project, repository))


def _on_state(project: Project, repository: Repository) -> Iterator[Diagnostic]:
    """The targets that are published to branches of state."""
    from nyl.engine.state_branches import StateBranches
    from nyl.kubernetes.declared_targets import declared_target

    branches = StateBranches.of(project.environments.values(), repository)
    for name in project.kubernetes.target_names():
        with suppress(NylError):  # what keeps a target from being made of its resource is told without this
            target = declared_target(project, name)
            refusal = branches.refusal(target.publication.repository, target.publication.revision)
            if refusal is not None:
                yield refusal.at(target.location, "publication.revision").diagnostic
