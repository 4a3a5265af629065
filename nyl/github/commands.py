"""Workflow commands: lines by which a step tells the runner of GitHub Actions what to do with its output.

The runner takes `::name key=value::data` at the start of a line, behind blanks, and `##[name]data` anywhere in one.
"""

import secrets


def workflow_command(name: str, data: str = "", **properties: str) -> str:
    """One command as the line that gives it. Empty properties are left out; no text can add to the command."""
    told = ",".join(f"{key}={_property(value)}" for key, value in properties.items() if value)
    return f"::{name}{f' {told}' if told else ''}::{_data(data)}"


def stop_commands(token: str) -> str:
    """The command after which the runner takes lines as mere text, until `resume_commands` with the same token."""
    return workflow_command("stop-commands", token)


def resume_commands(token: str) -> str:
    """The command that lets the runner take commands again."""
    return workflow_command(token)


def new_token() -> str:
    """A token that nobody who prints can guess; each is for one use."""
    return secrets.token_hex(16)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
