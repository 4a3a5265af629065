"""Options that the commands on trees share."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

_Function = TypeVar("_Function", bound=Callable[..., Any])

target_option = click.option("--target", metavar="TARGET", help="The DeploymentTarget.  [default: the only one]")
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


def tree_options(function: _Function) -> _Function:
    """`--target`, `--offline`, `--refresh` and `--no-cache`, by their names."""
    for decorate in reversed(_TREE):
        function = decorate(function)
    return function
