"""Splitting files into documents, and unit documents into a literal envelope and the text of a template.

A file is split at lines that start with `---` or `...`, as YAML has it; such a line ends a document even inside the
text of a template. A document whose root is a block mapping is split by its column-0 keys. A document whose root is a
flow mapping, as every JSON document's is, has no column-0 keys: it must be YAML as a whole, and the text of its
`spec` value is the template.
"""

import re
from collections.abc import Iterator

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError
from nyl.core.texts import text_problem

_KEY = re.compile(
    r"""(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s#\-?:,\[\]{}&*!|>'"%@`][^#:\n]*?))[ \t]*:(?=\s|$)(.*)"""
)
_SCALAR = re.compile(r"""\s+(?:[&!]\S*\s+)*(?:"([^"\\]*)"|'([^']*)'|([^\s#&*!|>'"%@`{\[][^\s]*))[ \t]*(?:#.*)?$""")
_FLOW = re.compile(r"\{(?![%#{])")
_SEPARATOR = re.compile(r"^(?:---|\.\.\.)(?=\s|$).*$", re.MULTILINE)
_TAG = re.compile(r"\{\{|\{%|\{#")
_FLOW_VALUE = r"""["']?%s["']?\s*:\s*["']?([^\s"',}]+)"""


@dataclass(frozen=True)
class RawDocument:
    """The text of one document of a file. `line` is the line of the file on which it starts, from 1."""

    text: str
    line: int
    index: int

    @property
    def is_flow(self) -> bool:
        """Whether the document's root is a flow mapping, such as JSON."""
        return any(_FLOW.match(line) for line in self._content())

    def api_version(self) -> str | None:
        """What `apiVersion` the document declares, as far as its text tells; None when it declares none."""
        return self._declared("apiVersion")

    def kind(self) -> str | None:
        """What `kind` the document declares, as far as its text tells; None when it declares none, or a template."""
        found = self._declared("kind")
        return None if found is None or has_template_tags(found) else found

    def first_line(self) -> int:
        """The line of the file on which the document's content starts."""
        for offset, line in enumerate(_lines(self.text)):
            if line.strip() and not line.lstrip().startswith(("#", "%")):
                return self.line + offset
        return self.line

    def _declared(self, key: str) -> str | None:
        if self.is_flow:
            found = re.search(_FLOW_VALUE % key, self.text)
            return found.group(1).replace("\\/", "/") if found else None
        return next((_scalar(rest) for name, rest, _ in _column_zero_keys(self.text) if name == key), None)

    def _content(self) -> Iterator[str]:
        for line in _lines(self.text):
            stripped = line.lstrip()
            if stripped and not stripped.startswith(("#", "%")):
                yield stripped
                return


@dataclass(frozen=True)
class UnitText:
    """A unit document in its two parts."""

    envelope: str
    """The document with the lines of `spec` blanked: its lines count as the document's do."""
    spec: str | None
    """The text of `spec:` with its key, or None when the document has no such key."""
    spec_line: int
    """The line of the file on which `spec` starts."""


def decode(data: bytes, file: str) -> str:
    """The text of a file, without byte-order mark and with plain line ends. Raises NYL-YAML-INVALID if not UTF-8."""
    problem = text_problem(data)
    if problem is not None:
        place = Location(file, problem.line)
        raise NylError(
            Code.YAML_INVALID,
            f"{place}: the file mentions nyl resources, but {problem.reason}.",
            f"save {file} as UTF-8",
            location=place,
        )
    return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def split_documents(text: str) -> list[RawDocument]:
    """The documents of a file that hold anything but comments."""
    found = []
    start, line, index = 0, 1, 0
    for separator in [*_SEPARATOR.finditer(text), None]:
        end = separator.start() if separator else len(text)
        body = text[start:end]
        document = RawDocument(_at_column_zero(body), line, index)
        if any(document._content()):
            found.append(document)
            index += 1
        if separator is None:
            break
        line += body.count("\n")
        start = separator.start() + 3
        if text.startswith("...", separator.start()):
            start = separator.end()
    return found


def _at_column_zero(text: str) -> str:
    first = next((line for line in _lines(text) if line.strip() and not line.lstrip().startswith("#")), "")
    if not first.startswith(" ") or first.lstrip()[:1] in ("{", "-"):
        return text
    from textwrap import dedent  # few documents are indented

    return dedent(text)


def _lines(text: str) -> Iterator[str]:
    """The lines of a text one by one: those who look for the first of something leave the others alone."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def _column_zero_keys(text: str) -> Iterator[tuple[str, str, int]]:
    """The keys that start on column 0: their name, the rest of their line, and the line's number from 0."""
    for number, line in enumerate(_lines(text)):
        if line[:1] in (" ", "", "#", "-", "{", "\t"):
            continue
        found = _KEY.match(line)
        if found:
            double, single, plain, rest = found.groups()
            yield double or single or plain or "", rest, number


def split_unit(document: RawDocument, file: str) -> UnitText:
    """The parts of a unit document. Raises NYL-YAML-INVALID when `spec` stands twice, NYL-RESOURCE-INVALID when the
    envelope holds a template tag."""
    if document.is_flow:
        return _split_flow(document, file)
    lines = document.text.split("\n")
    keys = [(key, number) for key, _, number in _column_zero_keys(document.text)]
    specs = [number for key, number in keys if key == "spec"]
    if len(specs) > 1:
        first, second = (document.line + each for each in specs[:2])
        raise NylError(
            Code.YAML_INVALID,
            f"{file}:{second}: the key `spec` stands twice, on lines {first} and {second}.",
            "keep one of them",
            location=Location(file, second),
        )
    if not specs:
        _check_literal(lines, document, file)
        return UnitText(document.text, None, document.line)
    start = specs[0]
    end = next((number for _, number in keys if number > start), len(lines))
    envelope = [*lines[:start], *[""] * (end - start), *lines[end:]]
    _check_literal(envelope, document, file)
    return UnitText("\n".join(envelope), "\n".join(lines[start:end]), document.line + start)


def has_template_tags(text: str) -> bool:
    """Whether a text would change when it is rendered."""
    return _TAG.search(text) is not None


def _check_literal(lines: list[str], document: RawDocument, file: str) -> None:
    for offset, line in enumerate(lines):
        if _TAG.search(line) and not line.lstrip().startswith("#"):
            place = Location(file, document.line + offset)
            raise NylError(
                Code.RESOURCE_INVALID,
                f"{place}: what stands beside `spec` is literal, but this line holds a template tag: {line.strip()}",
                "move what varies below `spec`, or write the value out",
                location=place,
            )


def _split_flow(document: RawDocument, file: str) -> UnitText:
    """The `spec` of a flow mapping is cut out of the text at the place where YAML finds it."""
    import yaml

    root = yaml.compose(document.text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    for key, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if key.value == "spec":
            begin, end = value.start_mark.index, value.end_mark.index
            text = document.text
            blanked = "null" + "\n" * text.count("\n", begin, end)
            envelope = text[:begin] + blanked + text[end:]
            _check_literal(envelope.split("\n"), document, file)
            return UnitText(envelope, "spec: " + text[begin:end], document.line + text.count("\n", 0, begin))
    _check_literal(document.text.split("\n"), document, file)
    return UnitText(document.text, None, document.line)


def _scalar(rest: str) -> str | None:
    found = _SCALAR.match(rest)
    return next((each for each in found.groups() if each is not None), None) if found else None
