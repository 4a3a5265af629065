"""Fixes that name the known word that was probably meant by an unknown one."""

from collections.abc import Iterable

_SHOWN = 12


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that a mistyped one most likely means, or None."""
    from difflib import get_close_matches

    lowered = {each.lower(): each for each in sorted(known)}
    matches = get_close_matches(word.lower(), list(lowered), n=1, cutoff=0.6)
    return lowered[matches[0]] if matches else None


def did_you_mean(word: str, known: Iterable[str], otherwise: str) -> str:
    """A fix that names the nearest known word; `otherwise` when none is near."""
    close = nearest(word, known)
    return f"did you mean {close}?" if close is not None else otherwise


def suggest(word: str, known: Iterable[str], what: str) -> str:
    """A fix that names the nearest known word, or all of them when none is near. `what` is their common noun."""
    words = sorted(known)
    if not words:
        return f"declare one first: there is no {what} yet"
    shown = ", ".join(words[:_SHOWN]) + (", …" if len(words) > _SHOWN else "")
    return did_you_mean(word, words, f"choose from: {shown}")
