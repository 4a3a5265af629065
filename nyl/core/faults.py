"""Named points at which a test may stop the process."""

from collections.abc import Callable

_hook: Callable[[str], None] | None = None


def point(name: str) -> None:
    """Marks a place, such as `before push of results`. Costs nothing unless a hook is installed."""
    if _hook is not None:
        _hook(name)


def install(hook: Callable[[str], None] | None) -> None:
    """Sets what is called at every point, or nothing. Only the entry point of tests does this."""
    global _hook
    _hook = hook
