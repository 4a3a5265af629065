"""Every command that a page or a message names is there, with the options that are named."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from nyl.cli.root import root
from tests.core.test_fixes import literal_fixes

ROOT = Path(__file__).parents[2]
PAGES = sorted({ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")})
_BLOCK = re.compile(r"^ *```(?:sh|console)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_CALL = re.compile(r"(?:^|[|;&(]|\$ )\s*(nyl [^|;&)\n]+)", re.MULTILINE)
_NAMED = re.compile(r"`(nyl [^`]+)`")


def calls() -> Iterator[tuple[str, str]]:
    """The commands in the blocks of the pages that show a shell."""
    for page in PAGES:
        for block in _BLOCK.findall(page.read_text("utf-8")):
            for call in _CALL.findall(block.replace("\\\n", " ")):
                yield page.name, call.strip()


def named() -> Iterator[tuple[str, str]]:
    """The commands that stand in sentences of pages and in fixes."""
    texts = [(page.name, page.read_text("utf-8")) for page in PAGES] + [("a fix", fix) for fix in literal_fixes()]
    for place, text in texts:
        yield from ((place, " ".join(call.split())) for call in _NAMED.findall(text))


def resolved(words: list[str]) -> tuple[click.Command, click.Context, list[str]]:
    """The command that some words name, with the words that are left."""
    command: click.Command = root
    context = click.Context(root, info_name="nyl")
    while isinstance(command, click.Group) and words and re.fullmatch(r"[a-z-]+", words[0]) and words[0][0] != "-":
        found = command.get_command(context, words[0])
        assert found is not None, words[0]
        command, context, words = found, click.Context(found, parent=context), words[1:]
    return command, context, words


def test_every_command_of_a_block_can_be_called_so() -> None:
    found = list(calls())
    assert len(found) > 80
    for place, call in found:
        command, context, words = resolved(shlex.split(call, comments=True)[1:])
        try:
            command.make_context(call, words, parent=context.parent)
        except click.exceptions.Exit:
            continue  # --help and --version
        except click.UsageError as error:
            if "does not exist" not in error.message:
                pytest.fail(f"{place}: {call}: {error.message}")


def test_every_command_in_a_sentence_has_the_options_that_are_named() -> None:
    found = list(named())
    assert len(found) > 150
    for place, call in found:
        command, _, words = resolved(call.split()[1:])
        known = {each for option in command.params for each in (*option.opts, *option.secondary_opts)} | {"--help"}
        for word in words[: words.index("--")] if "--" in words else words:
            option = word.strip("[]").partition("=")[0]
            if re.fullmatch(r"--?[a-z-]+", option):
                assert option in known, f"{place}: {call}: {option}"
