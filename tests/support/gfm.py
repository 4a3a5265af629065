"""Markdown as GitHub reads it: what a text becomes, and what of it is anything but text."""

import re
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser

from markdown_it import MarkdownIt

_BLOCKS = {"h2", "h3", "p", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td"}
_BLOCKS |= {"details", "summary", "pre", "hr", "a", "img", "script"}
_VERBATIM = {"code", "pre"}
_LIVE = re.compile(r"@\w|\w@|#\d|GH-\d|:[a-z0-9_+-]+:|://|www\.\w|\b[0-9a-f]{7,40}\b", re.IGNORECASE | re.ASCII)
"""What GitHub makes something of outside of code: mentions, references, emoji, links, commits."""


@dataclass
class Page:
    """A rendered text: its blocks as an outline, its tags, its text outside of code, and its code."""

    outline: list[str] = field(default_factory=list)
    tags: set[str] = field(default_factory=set)
    words: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)

    @property
    def live(self) -> list[str]:
        """What GitHub would turn into something else than text."""
        return [found.group() for words in self.words for found in _LIVE.finditer(words)]

    @property
    def text(self) -> str:
        """All that a reader sees, without layout."""
        return " ".join(self.words)


def page(markdown: str) -> Page:
    """What a text becomes on GitHub. Fails when a tag is left open."""
    reader = _Reader()
    reader.feed(_renderer().render(markdown))
    reader.close()
    assert not reader.open, f"left open: {reader.open}"
    return reader.page


@cache
def _renderer() -> MarkdownIt:
    return MarkdownIt("gfm-like", {"html": True, "linkify": True})


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.page.tags.add(tag)
        if tag in _BLOCKS:
            self.page.outline.append(tag)
        if tag not in ("br", "hr", "img"):
            self.open.append(tag)
        if tag in _VERBATIM:
            self.page.code.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if tag in _BLOCKS:
            self.page.outline.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        if _VERBATIM & set(self.open):
            self.page.code[-1] += data
        else:
            self.page.words.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")
