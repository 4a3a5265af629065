"""What the scalars of manifests mean to kubectl, which reads them by rules of its own between YAML 1.1 and 1.2.

They are those of `sigs.k8s.io/yaml`: `yes` and `on` are booleans and `0644` is octal, but there are neither timestamps
nor sexagesimal numbers, and keys that are no strings become some.
"""

import base64
import binascii
import re
import struct
from typing import Any

from nyl.core.yaml_scalars import ScalarRefused, WrittenFloat, float_text

_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
}
_NUMERIC = frozenset("0123456789+-.")
_INTEGER = re.compile(r"([-+]?)(?:0[bB]([01]+)|0[oO]?([0-7]+)|0[xX]([0-9a-fA-F]+)|(0|[1-9][0-9]*))", re.ASCII)
_BASES = (2, 8, 16, 10)
_FLOAT = re.compile(r"([-+]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([-+]?)([0-9]+))?", re.ASCII)
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_AGREED = re.compile(r"(?:-?[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?", re.ASCII)
_DIGITS = 1_000
_TAG = "tag:yaml.org,2002:"
_TYPES: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "int": (int,),
    "float": (float, int),
    "null": (type(None),),
    "timestamp": (str,),
}


class KubectlRules:
    """The rules of kubectl, for the reader of YAML. Numbers keep their value exactly, and floats their text."""

    merges = True

    def plain(self, text: str) -> Any:
        """The value of a plain scalar. Raises ScalarRefused for NaN, infinities and endless numbers."""
        if text in _WORDS:
            return _WORDS[text]
        return _number(text) if text[0] in _NUMERIC else text

    def key(self, text: str) -> str:
        """The key that a plain scalar becomes. Raises ScalarRefused for null, which kubectl refuses as well."""
        value = self.plain(text)
        if type(value) is str:
            return value
        if value is None:
            raise ScalarRefused("a key must be a string, and null is none")
        if isinstance(value, bool):
            return "true" if value else "false"
        return str(value) if isinstance(value, int) else _float_key(value)

    def tagged(self, tag: str, text: str) -> Any:
        """The value of a scalar with a type as its tag. Raises ScalarRefused when it is no value of that type."""
        name = tag.removeprefix(_TAG)
        if name == "binary":
            return _binary(text)
        if name not in _TYPES:
            raise ScalarRefused(f"the tag {tag} is not supported")
        value = text if name == "timestamp" else self.plain(text)
        if not isinstance(value, _TYPES[name]) or (isinstance(value, bool) and name != "bool"):
            raise ScalarRefused(f"{text!r} is no {name}")
        return float(value) if name == "float" and isinstance(value, int) else value


def _number(text: str) -> Any:
    if text.isdecimal() and text.isascii() and text[0] != "0" and len(text) < _DIGITS:
        return int(text)
    # Underscores between digits are read over, though not where a number begins with its dot.
    digits = text.replace("_", "") if text[0] != "." else text
    integer, parsed = _INTEGER.fullmatch(digits), _FLOAT.fullmatch(digits)
    if (integer or parsed) and len(digits) > _DIGITS:
        raise ScalarRefused(f"a number of {len(digits)} characters is too long")
    if integer:
        sign, *parts = integer.groups()
        value = next(int(each, base) for each, base in zip(parts, _BASES, strict=True) if each is not None)
        return -value if sign == "-" else value
    if _NOT_FINITE.fullmatch(text):
        raise ScalarRefused(f"{text} is not a number that JSON knows")
    if parsed and (parsed[2] or parsed[3]) and float(digits) not in (float("inf"), float("-inf")):
        return _float(digits, parsed)
    return text


def _float(text: str, parsed: re.Match[str]) -> float:
    if not _AGREED.fullmatch(text):
        # As close to the text as readers of YAML 1.1 and 1.2 alike take for a number.
        sign, whole, fraction, exponent_sign, exponent = parsed.groups()
        power = f"e{exponent_sign or '+'}{exponent}" if exponent else ""
        text = f"{'-' if sign == '-' else ''}{whole or '0'}.{fraction or '0'}{power}"
    value = float(text)
    return value if text == float_text(value) else WrittenFloat(text)


def _float_key(value: float) -> str:
    """The text of a float as a key: the shortest of single precision, as Go's format `g` writes it."""
    single = _single(value)
    shortest = next(text for text in (f"{single:.{digits}e}" for digits in range(17)) if _single(float(text)) == single)
    mantissa, _, power = shortest.partition("e")
    if not -4 <= int(power) < 6:
        return shortest
    return f"{single:.{max(len(mantissa.lstrip('-').replace('.', '')) - 1 - int(power), 0)}f}"


def _single(value: float) -> float:
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        raise ScalarRefused(f"the key {value} is too large a number") from None


def _binary(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise ScalarRefused("what the tag !!binary stands before is not Base64 of a text") from None
