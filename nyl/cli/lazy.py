"""Groups of commands whose modules are imported only when they are called."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib import import_module

import click


@dataclass(frozen=True)
class Entry:
    """Where a command lives, as the attribute `command` of a module, and what the help of its group says of it.

    A hidden one is for programs to call, and not listed.
    """

    module: str
    summary: str
    hidden: bool = False


class UnknownCommand(click.UsageError):
    """A group was called with a command that it does not have; `known` are those it has."""

    def __init__(self, name: str, known: Collection[str], ctx: click.Context) -> None:
        super().__init__(f"No such command '{name}'.", ctx)
        self.name = name
        self.known = known


class LazyGroup(click.Group):
    """A group that lists its commands without importing any of them."""

    def __init__(self, name: str, entries: Mapping[str, Entry], help: str) -> None:
        super().__init__(name, help=help, invoke_without_command=True, callback=click.pass_context(_refuse_alone))
        self._entries = entries
        self._listed = {name: entry for name, entry in entries.items() if not entry.hidden}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in the order in which a newcomer meets them."""
        return list(self._listed)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now; None when there is none of that name."""
        entry = self._entries.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = import_module(entry.module).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments name. Raises UnknownCommand; options are click's to refuse."""
        name = args[0]
        if name not in self._entries and not name.startswith("-"):
            raise UnknownCommand(name, self._listed, ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list of commands into the help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self._listed.items()])


def _refuse_alone(ctx: click.Context) -> int | None:
    """A group called without a command: help at the root, a usage error below it."""
    if ctx.invoked_subcommand is not None:
        return None
    if ctx.parent is None:
        click.echo(ctx.get_help())
        return 0
    commands = ctx.command.list_commands(ctx) if isinstance(ctx.command, LazyGroup) else ()
    raise click.UsageError(f"Missing command. One of: {', '.join(commands)}.", ctx)
