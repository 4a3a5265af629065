"""The error for resources of kinds that do not exist."""

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.core.suggestions import suggest


def unknown_kind(kind: object, api_version: str, known: tuple[str, ...], place: Location) -> NylError:
    """The error for a kind that its API group does not have."""
    named = f"the kind {kind}" if isinstance(kind, str) else "no kind"
    message = f"{place}: a resource of {api_version} has {named}, which nothing installed offers."
    if not known:
        return NylError(
            Code.KIND_UNKNOWN, message, "choose one that `nyl get kinds` lists, or install its package", location=place
        )
    return NylError(Code.KIND_UNKNOWN, message, suggest(str(kind), known, "kind"), location=place)
