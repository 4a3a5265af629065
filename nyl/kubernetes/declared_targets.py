"""One DeploymentTarget of a project, without looking at what else the project declares."""

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.suggestions import suggest
from nyl.kubernetes.inputs.carrying import publication_bindings
from nyl.kubernetes.resources import DeploymentTarget
from nyl.kubernetes.static_resources import deployment_target
from nyl.project.discovery import Project


def declared_target(project: Project, name: str) -> DeploymentTarget:
    """The target of a name. Raises NYL-TARGET-UNKNOWN, and what is wrong with the target's own resource."""
    for kind, document, location in project.kubernetes.resources:
        if kind == "DeploymentTarget" and document["metadata"]["name"] == name:
            return deployment_target(document, location, project.repositories)
    known = project.kubernetes.target_names()
    message = f"The project has no DeploymentTarget {name}" + (f"; it has {', '.join(known)}." if known else ".")
    raise NylError(Code.TARGET_UNKNOWN, message, suggest(name, known, "DeploymentTarget"))


def reads_publication(target: DeploymentTarget) -> bool:
    """Whether an input of the target is bound to a state file of its publication."""
    return any(True for _ in publication_bindings(target))
