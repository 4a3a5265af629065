"""Charts that render differently each time: what may make them so, and how to find out whether it does.

Rendering twice finds random values. It would not find the time, since both renderings see the same second: so the
second rendering is one of the same chart at another time, with `now` replaced by a date that is long gone.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from nyl.kubernetes.expansion.archives import unpacked
from nyl.kubernetes.expansion.chart_content import ChartContent

_NEVER_TWICE = (
    "now|ago|date|dateInZone|date_in_zone|htmlDate|htmlDateInZone|unixEpoch|"
    "randAlpha|randAlphaNum|randAscii|randNumeric|randBytes|uuidv4|"
    "genPrivateKey|genCA|genCAWithKey|genSelfSignedCert|genSelfSignedCertWithKey|genSignedCert|genSignedCertWithKey|"
    "htpasswd|bcrypt|encryptAES|getHostByName"
)
_OFTEN_TWICE = "keys|values|shuffle|randInt"
"""Functions with few results, such as the orders of two keys: some renderings may agree by chance."""
_ACTION = re.compile(r"\{\{(?!-?\s*/\*).*?\}\}", re.DOTALL)


def _calls(functions: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.$\"])(?:{functions})\b")


_RENDERINGS = {_calls(_OFTEN_TWICE): 4, _calls(_NEVER_TWICE): 1}
_NOW = re.compile(r"\"(?:\\.|[^\"\\])*\"|`[^`]*`|(?<![\w.$])now\b(?!\s*:=)")
_LONG_GONE = '(toDate "2006-01-02 15:04:05" "2001-02-03 04:05:06")'
_PARTS = re.compile(r"^---\n(?=# Source: )", re.MULTILINE)
_SOURCE = re.compile(r"# Source: (.*)")


def renderings_to_compare(content: ChartContent, values: Mapping[str, Any]) -> int:
    """How many more renderings tell whether the output is always the same.

    None, unless a template, or a text among the values, mentions a function whose result is not always the same.
    """
    return max((_renderings(text) for text in (*_template_texts(content), *_texts(values))), default=0)


def at_another_time(content: ChartContent) -> ChartContent:
    """The chart as it would be long ago: `now` in its templates, and in those of its archived parts, is a past date."""
    files: dict[str, bytes] = {}
    for path, data in content.files.items():
        part = _part(path, data)
        if part is not None:
            folder = path.removesuffix(".tgz")
            files.update({f"{folder}/{name}": each for name, each in at_another_time(part).files.items()})
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


def _renderings(text: str) -> int:
    if "{{" not in text:
        return 0
    actions = "\n".join(_ACTION.findall(text))
    return next((count for calls, count in _RENDERINGS.items() if calls.search(actions)), 0)


def _template_texts(content: ChartContent) -> Iterator[str]:
    for path, data in content.files.items():
        part = _part(path, data)
        if part is not None:
            yield from _template_texts(part)
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


def _part(path: str, data: bytes) -> ChartContent | None:
    """The chart that a chart holds in an archive; None for other files, and for one that cannot be unpacked here."""
    if not (path.endswith(".tgz") and (path.startswith("charts/") or "/charts/" in path)):
        return None
    try:
        return unpacked(data)
    except ValueError:
        return None
