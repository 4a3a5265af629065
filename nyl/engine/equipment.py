"""What the drivers of one invocation act with, whatever unit it is that they act on."""

from nyl.core.dataclass import dataclass
from nyl.engine.secrets import project_secrets
from nyl.engine.source_projects import SourceProjects
from nyl.engine.workspace import Workspace
from nyl.project.secrets.provider import SecretsProvider


@dataclass(frozen=True)
class Equipment:
    """The workspace with its listener and its cancellation, the project at every commit, and its secrets."""

    workspace: Workspace
    sources: SourceProjects
    secrets: SecretsProvider

    @classmethod
    def of(cls, workspace: Workspace, sources: SourceProjects) -> "Equipment":
        """That of a workspace. Neither a commit nor a secret is read before a unit needs it."""
        return cls(workspace, sources, project_secrets(workspace))
