"""What a user asked of a command on one Release, as the command line gives it."""

from collections.abc import Sequence
from dataclasses import field
from pathlib import Path

from nyl.core.dataclass import dataclass
from nyl.kubernetes.session import RenderOptions


@dataclass(frozen=True)
class ReleaseRequest:
    """`nyl render FILE`; `nyl diff` and `nyl apply` hand what it prints to kubectl."""

    file: Path
    target: str | None = None
    """None: for no target, whatever targets there are."""
    options: RenderOptions = field(default_factory=RenderOptions)
    inputs: Sequence[str] = ()
    """Each `name=json`."""
    inputs_file: Path | None = None
    group: str | None = None
    """The ApplicationGroup whose bindings apply; None: that whose local source contains the file."""
    defaults_only: bool = False
    kinds: Sequence[str] = ()
    """Only objects of these kinds, such as `Deployment` or `deployment.apps`; empty: all."""
