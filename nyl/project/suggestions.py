"""Fixes that name the known word that was probably meant by an unknown one."""

from collections.abc import Iterable

_SHOWN = 12


def suggest(word: str, known: Iterable[str], what: str) -> str:
    """A sentence that names the nearest known word, or all of them when none is near. `what` is their common noun."""
    from nyl.core.schemas import nearest

    words = sorted(known)
    close = nearest(word, words)
    if close is not None:
        return f"Write `{close}`, if that is what you meant."
    if not words:
        return f"There is no {what} yet."
    shown = ", ".join(words[:_SHOWN]) + (", …" if len(words) > _SHOWN else "")
    return f"Known {what}s: {shown}."
