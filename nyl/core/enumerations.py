"""Lists of names in sentences."""

from collections.abc import Iterable


def enumerated(names: Iterable[object], most: int = 20) -> str:
    """Names with commas between them, such as `a, b`; beyond `most` of them only how many follow: `a, b and 3 more`."""
    every = list(map(str, names))
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more
