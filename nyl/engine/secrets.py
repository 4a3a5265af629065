"""The project's secrets, from the provider that the working tree's nyl.toml names."""

from nyl.engine.workspace import Workspace
from nyl.project.secrets.provider import SecretsProvider, secrets_provider
from nyl.units.cancellation import CancellationToken
from nyl.units.programs import ProjectPrograms


def project_secrets(workspace: Workspace, cancellation: CancellationToken) -> SecretsProvider:
    """The provider. Nothing is read before a unit needs a secret."""
    run = ProjectPrograms(workspace.folder, workspace.environ, cancellation)
    return secrets_provider(workspace.config.secrets, workspace.folder, workspace.environ, run, workspace.repository)
