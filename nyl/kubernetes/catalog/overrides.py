"""What a Release may change of its Application, and the Application that comes of it."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError, Problems
from nyl.kubernetes.catalog.path_globs import glob_matches
from nyl.kubernetes.catalog.sync_options import merged_options
from nyl.kubernetes.manifests import Manifest
from nyl.kubernetes.resources import ApplicationGroup, ReleaseCustomization

_Path = tuple[str, ...]
_ADDED_OPTIONS: _Path = ("spec", "syncPolicy", "+syncOptions")
_OWNED: tuple[_Path, ...] = (
    ("apiVersion",),
    ("kind",),
    ("metadata", "name"),
    ("metadata", "namespace"),
    ("metadata", "finalizers"),
    ("spec", "project"),
    ("spec", "source"),
    ("spec", "sources"),
    ("spec", "sourceHydrator"),
    ("spec", "destination"),
    ("spec", "syncPolicy"),
    ("operation",),
    ("status",),
)
"""What no Release sets, whatever its group allows: where an Application is, what it syncs, to where and how."""


@dataclass(frozen=True)
class _Change:
    path: _Path
    value: Any

    def __str__(self) -> str:
        return ".".join(f'"{each}"' if "." in each else each for each in self.path)


def customized(application: Manifest, override: Mapping[str, Any], group: ApplicationGroup, at: Location) -> Manifest:
    """An Application with what its Release overrides: fields as in an Application, of which mappings are merged.

    `spec.syncPolicy.+syncOptions` adds options, in the place of those with the same key. `at` is the place of the
    Release. Raises NylError (NYL-OVERRIDE-REFUSED) for all that the group does not allow or that no Release may set,
    and names both places.
    """
    if not override:
        return application
    problems = Problems()
    value: dict[str, Any] = dict(application.value)
    for change in _changes(override, ()):
        reason = _refusal(change, group.customization) or _mismatch(change, application.value)
        if reason is not None:
            problems.add(_refused(change, reason, group, at))
        elif change.path == _ADDED_OPTIONS:
            options = merged_options(value["spec"]["syncPolicy"].get("syncOptions", ()), change.value)
            value = _with(value, (*change.path[:-1], "syncOptions"), options)
        else:
            value = _with(value, change.path, change.value)
    problems.raise_any()
    return replace(application, value=value, provenance=(*application.provenance, f"customized by {at.file}"))


def _changes(override: Mapping[str, Any], parent: _Path) -> Iterator[_Change]:
    for key, value in override.items():
        path = (*parent, key)
        if isinstance(value, Mapping) and value:
            yield from _changes(value, path)
        else:
            yield _Change(path, value)


def _refusal(change: _Change, customization: ReleaseCustomization) -> str | None:
    if change.path == _ADDED_OPTIONS:
        return _options_refusal(change.value, customization.allowed_sync_options)
    if _is_owned(change):
        return "it belongs to the platform, and no Release may set it"
    if change.path[-1].startswith("+"):
        return "only spec.syncPolicy.+syncOptions adds to a list"
    if change.value is None:
        return "an override sets fields and cannot remove them"
    paths = [change.path, *_below(change.value, change.path)]
    if any(glob_matches(pattern, path) for pattern in customization.denied_paths for path in paths):
        return "deniedPaths names it"
    if not any(glob_matches(pattern, change.path) for pattern in customization.allowed_paths):
        return "allowedPaths does not name it"
    return None


def _is_owned(change: _Change) -> bool:
    return any(change.path[: len(owned)] == owned for owned in _OWNED)


def _options_refusal(options: Any, allowed: tuple[str, ...]) -> str | None:
    if not isinstance(options, list) or not all(isinstance(each, str) for each in options):
        return "it is no list of texts"
    refused = [each for each in options if each not in allowed and each.partition("=")[0] not in allowed]
    return f"allowedSyncOptions does not name {', '.join(refused)}" if refused else None


def _below(value: Any, parent: _Path) -> Iterator[_Path]:
    """The paths inside a list, which replaces another as a whole."""
    items = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, Mapping) else ()
    for key, each in items:
        path = (*parent, str(key))
        yield path
        yield from _below(each, path)


def _mismatch(change: _Change, application: Mapping[str, Any]) -> str | None:
    """A field that would turn from a mapping into something else takes more with it than its own path says."""
    current: Any = application
    for key in change.path:
        if not isinstance(current, Mapping):
            return "it is below a field that is no mapping"
        if key not in current:
            return None
        current = current[key]
    if isinstance(current, Mapping) != isinstance(change.value, Mapping):
        return "it is a mapping on one side only"
    return None


def _with(value: Mapping[str, Any], path: _Path, new: Any) -> dict[str, Any]:
    key, *rest = path
    if rest:
        return {**value, key: _with(value.get(key) or {}, tuple(rest), new)}
    return {**value, key: {**value.get(key, {}), **new} if isinstance(new, Mapping) else new}


def _refused(change: _Change, reason: str, group: ApplicationGroup, at: Location) -> NylError:
    fix = "remove the field from the override"
    if not _is_owned(change):
        fix += ", or allow it in spec.releaseCustomization of the group"
    return NylError(
        Code.OVERRIDE_REFUSED,
        f"The applicationOverride at {at} sets {change}, which ApplicationGroup {group.name} at {group.location} does "
        f"not let it: {reason}.",
        fix,
        location=at,
    )
