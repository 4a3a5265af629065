"""Names of resources and units: what the project's documents, and everything that refers to them, may be called."""

import re

NAME_RULE = "use lower-case letters, digits and inner dashes, at most 63 characters"
"""The fix for a name that is none."""

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def is_name(text: str) -> bool:
    """Whether a resource or unit can have a name."""
    return _NAME.fullmatch(text) is not None
