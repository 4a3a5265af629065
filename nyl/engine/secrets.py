"""The project's secrets, from the provider that the working tree's nyl.toml names."""

import time
from collections.abc import Sequence
from pathlib import Path

from nyl.engine.workspace import Workspace
from nyl.project.secrets.provider import SecretsProvider, secrets_provider
from nyl.units.cancellation import CancellationToken
from nyl.units.supervision import ToolCall
from nyl.units.tools import run_tool


def project_secrets(workspace: Workspace, cancellation: CancellationToken) -> SecretsProvider:
    """The provider. Nothing is read before a unit needs a secret."""
    folder: Path = workspace.folder

    def run(argv: Sequence[str], seconds: float) -> bytes:
        call = ToolCall(
            argv=argv,
            cwd=folder,
            variables=workspace.environ,
            public=lambda data: None,
            cancellation=cancellation,
            deadline=time.monotonic() + seconds,
            capture_stdout=True,
        )
        result = run_tool(call)
        if result.start_error is not None:
            raise FileNotFoundError(result.start_error)
        if result.timed_out:
            raise TimeoutError
        if result.exit_code != 0:
            raise ChildProcessError(f"it ended with exit code {result.exit_code}")
        return result.stdout

    return secrets_provider(workspace.config.secrets, folder, workspace.environ, run, workspace.repository)
