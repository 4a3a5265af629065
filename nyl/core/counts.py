"""Numbers of things in words."""


def counted(number: int, noun: str) -> str:
    """A number of things, such as `1 unit` and `2 units`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
