"""The secrets in a YAML or JSON text: keys to strings, keys of nested mappings joined with dots."""

from collections.abc import Iterator, Mapping
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError


def secret_values(data: bytes, what: str) -> dict[str, str]:
    """The secrets that a text holds. `what` names its origin. Raises NYL-SECRET-UNAVAILABLE without showing any of it.

    Whole numbers and booleans count as their text; null, and numbers whose text YAML would change, count as absent.
    """
    from nyl.core.yamlio import load_documents

    try:
        documents = load_documents(data, "secrets")
    except NylError as error:
        place = error.diagnostic.location
        line = f", line {place.line}," if place and place.line else ""
        raise unavailable(
            f"{what}{line} is not valid YAML or JSON", "correct it; quote values that look like numbers"
        ) from None
    value = documents[0].value if len(documents) == 1 else None
    if not isinstance(value, dict):
        raise unavailable(f"{what} does not hold one mapping of keys to values", "write it as a mapping")
    return dict(_flat(value, ""))


def unavailable(sentence: str, fix: str) -> NylError:
    """A NYL-SECRET-UNAVAILABLE. The sentence gets its full stop here."""
    return NylError(Code.SECRET_UNAVAILABLE, f"The secrets cannot be read: {sentence}.", fix)


def _flat(value: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    for key, each in value.items():
        name = prefix + key
        if isinstance(each, dict):
            yield from _flat(each, name + ".")
        elif isinstance(each, bool):
            yield name, "true" if each else "false"
        elif isinstance(each, str | int):
            yield name, str(each)
