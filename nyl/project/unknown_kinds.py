"""What is told of resources of kinds and API groups that do not exist."""

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.core.suggestions import nearest, suggest
from nyl.project.records import BUILT_IN_GROUPS, UNITS
from nyl.project.schema_catalog import bundle_kinds, kubernetes_kinds, resource_kinds, resource_schema


def unknown_kind(kind: object, api_version: str, known: tuple[str, ...], place: Location) -> NylError:
    """The error for a kind that its API group does not have."""
    named = f"the kind {kind}" if isinstance(kind, str) else "no kind"
    message = f"{place}: a resource of {api_version} has {named}, which nothing installed offers."
    if not known:
        return NylError(
            Code.KIND_UNKNOWN, message, "choose one that `nyl get kinds` lists, or install its package", location=place
        )
    home = _home(kind)
    fix = f"write `apiVersion: {home}`, which has this kind" if home else suggest(str(kind), known, "kind")
    return NylError(Code.KIND_UNKNOWN, message, fix, location=place)


def unknown_group(kind: str, api_version: str) -> str:
    """The fix for a document of an API group of nyl that nyl does not have, or not in that version."""
    near = nearest(api_version, BUILT_IN_GROUPS)
    meant = _home(kind) or near or UNITS
    return f"write `apiVersion: {meant}`, or an API group that is not nyl's if nyl is not to read the document"


def _home(kind: object) -> str | None:
    """The API group of nyl itself that has a kind."""
    if kind not in (*resource_kinds(), *kubernetes_kinds(), *bundle_kinds()) or kind == "Component":
        return None
    versions = resource_schema(str(kind))["properties"]["apiVersion"]
    return str(versions["const"] if "const" in versions else versions["enum"][0])
