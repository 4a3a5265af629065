"""Every command of nyl, as click knows it."""

from collections.abc import Iterator

import click

from nyl.cli.root import root


def every_command() -> dict[str, click.Command]:
    """The commands by their names, such as `get unit`; not the groups they stand in."""
    return dict(_commands(root, ""))


def _commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield name, command
        return
    context = click.Context(command)
    for child in command.list_commands(context):
        found = command.get_command(context, child)
        assert found is not None, child
        yield from _commands(found, f"{name} {child}".strip())
