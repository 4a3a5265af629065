"""Rendered specs of ApplicationGroups, kept by their text and what it was rendered with.

Checking a spec costs more than all else that is done for a target of which nothing changed.
"""

import json
from collections.abc import Mapping
from functools import partial

from nyl import __version__
from nyl.core.cache import Cache
from nyl.kubernetes.cache_keys import digest_of
from nyl.kubernetes.group_specs import GroupSpec, render_spec, spec_line, spec_subject
from nyl.kubernetes.resources import GroupDocument
from nyl.kubernetes.targets import EffectiveTarget
from nyl.project.cached_json import load_all

_NAMESPACE = f"group-specs/{__version__}/1"
_PLACES = (
    "/source",
    "/source/path",
    "/source/revision",
    "/source/commit",
    "/source/repositoryRef/name",
    "/source/repository/repoURL",
    "/source/repository/publishURL",
)
"""Whose lines are asked for in any case."""


class GroupSpecCache:
    """Gives the specs of groups for one target."""

    def __init__(self, cache: Cache, target: EffectiveTarget) -> None:
        self._cache = cache
        self._templates = target.templates
        self._context = digest_of(target.context)

    def spec(self, document: GroupDocument) -> GroupSpec | None:
        """The rendered spec, as `render_spec` gives it. What it refuses is not kept."""
        key = digest_of([document.spec, self._context])
        known = load_all(self._cache.get_many(_NAMESPACE, [key])).get(key, 0)
        if known is None:
            return None
        if isinstance(known, list) and len(known) == 2:
            value, lines = known
            return GroupSpec(value, spec_subject(document, partial(self._line, document, lines)))
        found = render_spec(document, self._templates)
        parts = [found.value, self._places(document, found)] if found is not None else None
        self._cache.put_many(_NAMESPACE, {key: json.dumps(parts, separators=(",", ":")).encode()})
        return found

    @staticmethod
    def _places(document: GroupDocument, spec: GroupSpec) -> dict[str, int]:
        """The lines of places, counted from that of the spec: the same text may stand elsewhere."""
        return {pointer: spec.subject.line_of(pointer) - document.spec_line for pointer in _PLACES}

    def _line(self, document: GroupDocument, lines: Mapping[str, int], pointer: str) -> int:
        if pointer in lines:
            return document.spec_line + lines[pointer]
        return spec_line(document, self._templates, pointer)
