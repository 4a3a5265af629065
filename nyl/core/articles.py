"""Names with their articles."""

_VOWELS = tuple("AEIOUaeiou")


def with_article(name: str) -> str:
    """A name such as a kind's with the article that is read before it: `a Command`, `an OciImage`."""
    return f"{'an' if name.startswith(_VOWELS) else 'a'} {name}"
