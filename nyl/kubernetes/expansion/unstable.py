"""Charts that render differently each time: what may make them so, and how to find out whether it does.

Rendering twice finds random values. It would not find the time, since both renderings see the same second: so the
second rendering is one of the same chart at another time, with `now` replaced by a date that is long gone.
"""

import io
import re
import tarfile
from collections.abc import Iterator, Mapping
from typing import Any

from nyl.kubernetes.expansion.archives import unpacked
from nyl.kubernetes.expansion.chart_content import ChartContent

_FUNCTIONS = (
    "now|ago|date|dateInZone|date_in_zone|htmlDate|htmlDateInZone|unixEpoch|"
    "randAlpha|randAlphaNum|randAscii|randNumeric|randBytes|randInt|shuffle|uuidv4|"
    "genPrivateKey|genCA|genCAWithKey|genSelfSignedCert|genSelfSignedCertWithKey|genSignedCert|genSignedCertWithKey|"
    "htpasswd|bcrypt|encryptAES|keys|values|getHostByName"
)
_ACTION = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_MENTION = re.compile(rf"(?<![\w.$\"])(?:{_FUNCTIONS})\b")
_NOW = re.compile(r"\"(?:\\.|[^\"\\])*\"|`[^`]*`|(?<![\w.$])now\b(?!\s*:=)")
_LONG_GONE = '(toDate "2006-01-02 15:04:05" "2001-02-03 04:05:06")'
_PARTS = re.compile(r"^---\n(?=# Source: )", re.MULTILINE)
_SOURCE = re.compile(r"# Source: (.*)")


def may_be_unstable(content: ChartContent, values: Mapping[str, Any]) -> bool:
    """Whether a template, or a text among the values, mentions a function whose result is not always the same."""
    return any(_mentions(text) for text in (*_template_texts(content), *_texts(values)))


def at_another_time(content: ChartContent) -> ChartContent:
    """The chart as it would be long ago: `now` in its templates, and in those of its archived parts, is a past date."""
    files: dict[str, bytes] = {}
    for path, data in content.files.items():
        if _is_part(path):
            folder = path.removesuffix(".tgz")
            files.update({f"{folder}/{name}": each for name, each in at_another_time(unpacked(data)).files.items()})
        elif _is_template(path):
            files[path] = _shifted(data.decode(errors="surrogateescape")).encode(errors="surrogateescape")
        else:
            files[path] = data
    return ChartContent(files)


def values_at_another_time(value: Any) -> Any:
    """Values with the same replacement in their texts, which a chart may render as templates."""
    if isinstance(value, str):
        return _shifted(value)
    if isinstance(value, Mapping):
        return {key: values_at_another_time(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [values_at_another_time(each) for each in value]
    return value


def differing(first: bytes, second: bytes) -> list[str]:
    """The templates whose output is not the same in two renderings, by name; every one when none can be told."""
    one, other = _by_template(first), _by_template(second)
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def _by_template(output: bytes) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for part in _PARTS.split(output.decode(errors="replace")):
        source = _SOURCE.match(part)
        found.setdefault(source.group(1) if source else "?", []).append(part)
    return found


def _shifted(text: str) -> str:
    def in_action(action: re.Match[str]) -> str:
        return _NOW.sub(lambda found: _LONG_GONE if found.group() == "now" else found.group(), action.group())

    return _ACTION.sub(in_action, text) if "now" in text else text


def _mentions(text: str) -> bool:
    return "{{" in text and any(_MENTION.search(action) for action in _ACTION.findall(text))


def _template_texts(content: ChartContent) -> Iterator[str]:
    for path, data in content.files.items():
        if _is_part(path):
            try:
                yield from _template_texts(unpacked(data))
            except (ValueError, tarfile.TarError, io.UnsupportedOperation):
                continue  # helm says what is wrong with it
        elif _is_template(path) or path.endswith("values.yaml"):
            yield data.decode(errors="replace")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)


def _is_template(path: str) -> bool:
    return path.startswith("templates/") or "/templates/" in path


def _is_part(path: str) -> bool:
    return path.endswith(".tgz") and (path.startswith("charts/") or "/charts/" in path)
