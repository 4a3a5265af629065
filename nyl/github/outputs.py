"""Outputs of a step, in the form of the file that GITHUB_OUTPUT names."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO

from nyl.github.commands import new_token


def write_outputs(path: Path, outputs: Mapping[str, str], token: Callable[[], str] = new_token) -> None:
    """Adds outputs to the runner's file: it reads back exactly these values. Raises OSError."""
    text = "".join(output_text(name, value, token) for name, value in outputs.items())
    with path.open("ab+") as file:
        file.write(_line_end(file) + text.encode("utf-8", "surrogateescape"))


def output_text(name: str, value: str, token: Callable[[], str] = new_token) -> str:
    """One output: its name, a delimiter that is no line of the value, the value, and the delimiter again."""
    delimiter = token()
    while delimiter in value:
        delimiter = token()
    return f"{name}<<{delimiter}\n{value}\n{delimiter}\n"


def _line_end(file: IO[bytes]) -> bytes:
    """What ends the line that an earlier writer left open. A device has no end to look at."""
    if not file.seek(0, os.SEEK_END):
        return b""
    file.seek(-1, os.SEEK_END)
    return b"" if file.read(1) == b"\n" else b"\n"
