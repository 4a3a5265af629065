"""What builders are asked for and answer, whichever tool they are."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from nyl.core.dataclass import dataclass
from nyl.core.tool_result import ToolResult
from nyl.units.driver import ResolvedUnit
from nyl.units.execution_context import ExecutionContext
from nyl.units.images.registry import Registry
from nyl.units.images.spec import ImageSpec
from nyl.units.images.staging import Staged
from nyl.units.outcomes import Failed, FailureCategory, Uncertain
from nyl.units.steps import interruption


@dataclass(frozen=True)
class Job:
    """One image to build and to push under the tag of its execution key."""

    unit: ResolvedUnit
    spec: ImageSpec
    staged: Staged
    context: ExecutionContext
    registry: Registry
    tag: str
    login_file: Path | None
    """A file of logins named config.json; None where the builder uses the user's own."""
    known: str | None
    """The digest that the tag names already."""

    @property
    def reference(self) -> str:
        """The tag with its repository."""
        return f"{self.spec.repository}:{self.tag}"


@dataclass(frozen=True)
class Pushed:
    """An image, or index of images, that is in the registry now."""

    digest: str
    versions: Mapping[str, str]


class Builder(Protocol):
    """A tool that builds images and pushes them."""

    def push(self, job: Job) -> Pushed | Failed | Uncertain:
        """Builds an image and pushes it under the job's tag. Raises RegistryError, OSError."""


def ended(what: str, result: ToolResult, unit: ResolvedUnit) -> Failed | Uncertain | None:
    """What a builder's command comes to that did not end with exit code 0; None when it did.

    Building and pushing again is always safe, so its failures are retryable.
    """
    why = interruption(what, result, unit.timeout)
    if why is not None:
        return Uncertain(why) if result.start_error is None else Failed(FailureCategory.START, True, why)
    if result.exit_code != 0:
        said = f": {result.last_line}" if result.last_line else ""
        return Failed(FailureCategory.EXECUTION, True, f"{what} ended with exit code {result.exit_code}{said}")
    return None


def read_digest(path: Path) -> str | None:
    """The digest that a tool wrote to a file; None where there is none."""
    try:
        return path.read_text(encoding="ascii").strip() or None
    except (OSError, ValueError):
        return None
