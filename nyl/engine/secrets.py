"""The project's secrets, from the provider that the working tree's nyl.toml names."""

from collections.abc import Sequence

from nyl.engine.workspace import Workspace
from nyl.project.secrets.provider import SecretsProvider, secrets_provider


def project_secrets(workspace: Workspace) -> SecretsProvider:
    """The provider. Nothing is read before a unit needs a secret."""

    def run(argv: Sequence[str], seconds: float) -> bytes:
        from nyl.units.programs import ProjectPrograms

        return ProjectPrograms(workspace.folder, workspace.environ, workspace.cancellation)(argv, seconds)

    return secrets_provider(workspace.config.secrets, workspace.folder, workspace.environ, run, workspace.repository)
