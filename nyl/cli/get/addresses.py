"""Addresses of values on the command line."""

import click


def split_address(text: str, form: str) -> tuple[str, str]:
    """The two names of `UNIT/NAME`. Raises a usage error for anything else; `form` says what was expected."""
    unit, slash, name = text.partition("/")
    if not (unit and slash and name) or "/" in name:
        raise click.UsageError(f"{text!r} is not of the form {form}.")
    return unit, name
