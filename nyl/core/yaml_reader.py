"""The strict reader behind `nyl.core.yamlio`: builds values from the events of the C parser."""

from collections.abc import Iterator
from typing import Any, NoReturn

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.core.texts import text_problem
from nyl.core.yaml_scalars import ScalarRefused, ScalarRules, StrictRules

_DEPTH = 200
_BOM = b"\xef\xbb\xbf"
_STRING_TAGS = frozenset({"!", "tag:yaml.org,2002:str"})
_COLLECTION_TAGS = frozenset({None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"})


class Reader:
    """Reads one file. Raises NylError (NYL-YAML-INVALID) with the line of the first problem.

    `rules` say what scalars mean; `offset` is added to the lines of places, for a text that is part of its file.
    """

    def __init__(self, file: str, limit: int, rules: ScalarRules | None = None, offset: int = 0) -> None:
        self._file = file
        self._limit = limit
        self._offset = offset
        self._rules = rules or StrictRules()
        self._plain = self._rules.plain
        self._count = 0
        self._anchors: dict[str, tuple[Any, int]] = {}

    def documents(self, data: bytes) -> Iterator[tuple[Any, int]]:
        """Value and first line of each document."""
        text = self._text(data)
        try:
            yield from self._documents(yaml.CBaseLoader(text))
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            what = ", ".join(each for each in (error.context, error.problem) if each)
            self._refuse(_reworded(what), _marked_line(mark), "correct the YAML")
        except yaml.reader.ReaderError as error:
            line = text.count(b"\n", 0, error.position) + 1
            self._refuse(f"{error.reason} (U+{error.character:04X})", line, "remove the character")

    def _text(self, data: bytes) -> bytes:
        problem = text_problem(data)
        if problem is not None:
            self._refuse(problem.reason, problem.line, "save the file as UTF-8")
        return data.removeprefix(_BOM)

    def _documents(self, parser: Any) -> Iterator[tuple[Any, int]]:
        while not isinstance(event := parser.get_event(), StreamEndEvent):
            if isinstance(event, DocumentStartEvent):
                self._anchors = {}
                first = parser.get_event()
                yield self._value(parser, first, 0), _line(first)

    def _value(self, parser: Any, event: Any, depth: int) -> Any:
        self._count += 1
        if self._count > self._limit:
            self._refuse(f"it has more than {self._limit:,} nodes, aliases counted", _line(event), "split the file")
        kind = type(event)
        if kind is ScalarEvent:
            return self._anchored(event, self._count, self._scalar(event))
        if kind is AliasEvent:
            return self._aliased(event)
        if depth >= _DEPTH:
            self._refuse(f"it is nested more than {_DEPTH} levels deep", _line(event), "flatten the data")
        if event.tag not in _COLLECTION_TAGS:
            self._refuse_tag(event)
        before = self._count
        if kind is MappingStartEvent:
            return self._anchored(event, before, self._mapping(parser, depth + 1))
        items = []
        while type(each := parser.get_event()) is not SequenceEndEvent:
            items.append(self._value(parser, each, depth + 1))
        return self._anchored(event, before, items)

    def _mapping(self, parser: Any, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        lines: dict[str, int] = {}
        merges = self._rules.merges
        while type(event := parser.get_event()) is not MappingEndEvent:
            if merges and _is_merge(event):
                result |= self._merged(event, self._value(parser, parser.get_event(), depth))
                continue
            key = self._key(parser, event, depth)
            if key in lines:
                first, again = lines[key] + self._offset, _line(event) + self._offset
                self._refuse(
                    f"the key {key!r} stands on line {first} and again on line {again} of one mapping",
                    _line(event),
                    "remove one of the two",
                )
            lines[key] = _line(event)
            result[key] = self._value(parser, parser.get_event(), depth)
        return result

    def _merged(self, event: Any, value: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for each in reversed(value if isinstance(value, list) else [value]):
            if not isinstance(each, dict):
                self._refuse("<< takes a mapping or a list of mappings", _line(event), "correct the merge key")
            found |= each
        return found

    def _key(self, parser: Any, event: Any, depth: int) -> str:
        if type(event) is ScalarEvent and event.implicit[0] and not event.style:
            try:
                key = self._rules.key(event.value)
            except ScalarRefused as error:
                self._refuse(str(error), _line(event), "write the key in quotes")
        else:
            key = self._value(parser, event, depth)
        self._count += 1
        if type(key) is not str:
            shown = repr(event.value) if type(event) is ScalarEvent else "a list or mapping"
            self._refuse(f"a key must be a string, and {shown} is none", _line(event), "write the key in quotes")
        return str(self._anchored(event, self._count, key))

    def _scalar(self, event: Any) -> Any:
        try:
            if not event.implicit[0] and event.tag is not None and event.tag not in _STRING_TAGS:
                return self._rules.tagged(event.tag, event.value)
            if event.tag in _STRING_TAGS or event.style:
                return event.value
            return self._plain(event.value)
        except ScalarRefused as error:
            self._refuse(str(error), _line(event), error.fix)

    def _anchored(self, event: Any, before: int, value: Any) -> Any:
        anchor = getattr(event, "anchor", None)
        if anchor is not None and type(event) is not AliasEvent:
            self._anchors[anchor] = (value, self._count - before + 1)
        return value

    def _aliased(self, event: Any) -> Any:
        known = self._anchors.get(event.anchor)
        if known is None:
            self._refuse(f"the alias *{event.anchor} names no anchor before it", _line(event), "correct the alias")
        value, nodes = known
        self._count += nodes - 1
        if self._count > self._limit:
            self._refuse(f"it has more than {self._limit:,} nodes, aliases counted", _line(event), "use fewer aliases")
        return value

    def _refuse_tag(self, event: Any) -> NoReturn:
        self._refuse(f"the tag {event.tag} is not supported", _line(event), "remove the tag; write strings in quotes")

    def _refuse(self, what: str, line: int, fix: str) -> NoReturn:
        place = Location(self._file, line and line + self._offset)
        raise NylError(Code.YAML_INVALID, f"{place} is not valid YAML: {what}.", fix, location=place)


def _is_merge(event: Any) -> bool:
    return type(event) is ScalarEvent and event.value == "<<" and bool(event.implicit[0])


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _marked_line(mark: Any) -> int:
    return int(mark.line) + 1 if mark is not None else 0


def _reworded(problem: str) -> str:
    if "cannot start any token" in problem:
        return f"{problem} (indentation is written with spaces, and @, `, % or a tab cannot start a value)"
    return problem or "it cannot be parsed"
