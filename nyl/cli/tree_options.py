"""Options that the commands on trees share."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from nyl.cli.options import single_option, with_options
from nyl.core.dataclass import dataclass

if TYPE_CHECKING:
    from nyl.kubernetes.session import RenderOptions

_Result = TypeVar("_Result")

target_option = single_option("--target", metavar="TARGET", help="The DeploymentTarget.  [default: the only one]")
offline_option = click.option("--offline", is_flag=True, help="Ask no remote; what was fetched before is used.")
refresh_option = click.option("--refresh", is_flag=True, help="Fetch again what was fetched before.")
no_cache_option = click.option("--no-cache", is_flag=True, help="Render everything again.")
force_option = click.option(
    "--force", is_flag=True, help="Write over files that were edited outside nyl, and list them."
)

_TREE = (
    target_option,
    offline_option,
    refresh_option,
    no_cache_option,
)


@dataclass(frozen=True)
class TreeChoice:
    """Which tree is rendered, and what for."""

    target: str | None
    offline: bool
    refresh: bool
    no_cache: bool

    @property
    def options(self) -> "RenderOptions":
        """How it is rendered."""
        from nyl.kubernetes.session import RenderOptions

        return RenderOptions(self.offline, self.refresh, self.no_cache)


def tree_options(function: Callable[..., _Result]) -> Callable[..., _Result]:
    """`--target`, `--offline`, `--refresh` and `--no-cache`, together as `tree`."""

    @wraps(function)
    def gathered(*, target: str | None, offline: bool, refresh: bool, no_cache: bool, **others: Any) -> _Result:
        return function(tree=TreeChoice(target, offline, refresh, no_cache), **others)

    return with_options(gathered, _TREE)
