"""YAML: strict reading with the rules of YAML 1.2's core schema, and stable writing."""

from typing import Any

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError

NODE_LIMIT = 1_000_000
"""Nodes of one file, those that aliases repeat counted each time."""


@dataclass(frozen=True)
class Document:
    """One document of a file: its plain value, the line its content starts at, and which one it is, from 0."""

    value: Any
    line: int
    index: int


def load_documents(data: bytes, file: str, limit: int = NODE_LIMIT) -> list[Document]:
    """The documents of a YAML file, as dicts, lists, strings, ints, floats, booleans and None.

    `file` is named in errors. `limit` bounds the nodes, counting those that aliases repeat. A UTF-8 byte-order mark
    and CRLF are accepted. Raises NylError (NYL-YAML-INVALID) with file and line for anything that is not strict YAML:
    other encodings, duplicate keys, keys that are no strings, tags, numbers that would lose their text when they are
    written again, and whatever is too large or too deep.
    """
    from nyl.core.yaml_reader import Reader

    return [Document(value, line, index) for index, (value, line) in enumerate(Reader(file, limit).documents(data))]


def load_document(data: bytes, file: str, limit: int = NODE_LIMIT) -> Any:
    """The value of a file that holds exactly one document; an empty file holds None. Raises as `load_documents`."""
    documents = load_documents(data, file, limit)
    if len(documents) > 1:
        raise NylError(
            Code.YAML_INVALID,
            f"{file} holds {len(documents)} YAML documents where one is expected.",
            "keep one document in the file",
            location=Location(file, documents[1].line),
        )
    return documents[0].value if documents else None


def line_of(data: bytes, index: int, pointer: str) -> int:
    """The line, from 1, of what a JSON pointer points at in document `index`: that of its key or list item.

    Where nothing is there, the line of the nearest parent that is; 0 when the file cannot be read.
    """
    from nyl.core.yaml_lines import find_line

    return find_line(data, index, pointer)


def dump(value: Any) -> str:
    """Block YAML in insertion order that readers of YAML 1.1 and 1.2 read back alike.

    The same data always gives the same text. Raises ValueError for NaN, infinities and lone surrogates, TypeError for
    anything that is no plain data or a key that is no string.
    """
    from nyl.core.yaml_writer import write

    return write(value)
