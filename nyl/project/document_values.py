"""The values of documents: parsing their text, checking it with a schema, and finding lines in it."""

from collections.abc import Mapping
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.project.schema_problems import Subject, schema_errors


class DocumentLines:
    """Finds the lines of pointers in the text of one document that starts on a line of its file."""

    def __init__(self, text: str, line: int) -> None:
        self._data = text.encode()
        self._line = line

    def line_of(self, pointer: str) -> int:
        """The line of the file on which what a JSON pointer points at stands, or its nearest parent."""
        from nyl.core.yamlio import line_of

        return max(line_of(self._data, 0, pointer), 1) + self._line - 1


def parse_text(text: str, file: str, line: int) -> dict[str, Any]:
    """The mapping that a document's text holds; `line` is where it starts in the file. Raises NYL-YAML-INVALID."""
    from nyl.core.yamlio import load_documents

    data = text.encode()
    try:
        found = load_documents(data, file)
    except NylError:
        load_documents(b"\n" * (line - 1) + data, file)  # raises again, now with the line of the file
        raise
    if len(found) == 1 and isinstance(found[0].value, dict):
        return found[0].value
    place = Location(file, line)
    raise NylError(
        Code.YAML_INVALID, f"{place}: the document is not one mapping.", "write it as a mapping", location=place
    )


def value_problems(
    value: Mapping[str, Any], file: str, lines: DocumentLines, schema: Mapping[str, Any]
) -> list[NylError]:
    """What is wrong with a value by one of the catalog's schemas."""
    return schema_errors(_validator(schema).problems(value), Subject(phrase_of(value), file, lines.line_of))


def phrase_of(value: Mapping[str, Any]) -> str:
    """What messages call a document: its kind and name, such as `Environment dev`."""
    metadata = value.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    kind = value.get("kind")
    return " ".join(str(each)[:80] for each in (kind if isinstance(kind, str) else "resource", name) if each)


_VALIDATORS: dict[int, Any] = {}


def _validator(schema: Mapping[str, Any]) -> Any:
    """One compiled validator for each of the catalog's schemas, which live as long as the process."""
    from nyl.core.schemas import Validator

    return _VALIDATORS.setdefault(id(schema), Validator(schema))
