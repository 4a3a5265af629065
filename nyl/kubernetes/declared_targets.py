"""One DeploymentTarget of a project, without looking at what else the project declares."""

from nyl.kubernetes.resources import DeploymentTarget
from nyl.kubernetes.static_resources import deployment_target
from nyl.kubernetes.target_documents import target_document
from nyl.project.discovery import Project


def declared_target(project: Project, name: str) -> DeploymentTarget:
    """The target of a name. Raises NYL-TARGET-UNKNOWN, and what is wrong with the target's own resource."""
    return deployment_target(*target_document(project, name), project.repositories)
