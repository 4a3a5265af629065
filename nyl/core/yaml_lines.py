"""Finds the line of a value in a YAML file, for messages: slow, so only used once something is wrong."""

from itertools import islice

import yaml

from nyl.core.pointers import split


def find_line(data: bytes, index: int, pointer: str) -> int:
    """The line, from 1, of the key or item that a JSON pointer leads to in document `index`, or of its nearest parent.

    0 when the file cannot be read.
    """
    try:
        node = next(islice(yaml.compose_all(data.decode("utf-8-sig"), Loader=yaml.CSafeLoader), index, None), None)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        return 0
    line = node.start_mark.line + 1 if node is not None else 0
    for token in split(pointer):
        found = _child(node, token)
        if found is None:
            break
        line, node = found
    return line


def _child(node: yaml.Node | None, token: str) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == token:
                return key.start_mark.line + 1, value
    elif isinstance(node, yaml.SequenceNode) and token.isdigit() and int(token) < len(node.value):
        item = node.value[int(token)]
        return item.start_mark.line + 1, item
    return None
