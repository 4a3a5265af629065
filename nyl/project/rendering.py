"""Rendering the units of one environment: templates, defaults, schema, and the fields that all kinds share."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol

from nyl import __version__
from nyl.core.cache import Cache
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError, Problems
from nyl.project.cached_json import load_all
from nyl.project.common_fields import rendered_unit
from nyl.project.resources import Environment
from nyl.project.units import RenderedUnit, UnitDocument, UnitKind

_FORMAT = 1
_BROKEN: Mapping[str, Any] = {}
"""Stands for the spec of a unit that has none because of its problems."""
_NAMESPACE = f"renderings/{__version__}/{_FORMAT}"


@dataclass(frozen=True)
class Rendering:
    """The units of an environment. The sets of names are disjoint; only `units` take part in a run."""

    units: Mapping[str, RenderedUnit]
    empty: frozenset[str] = frozenset()
    """Selected units whose template renders to nothing."""
    disabled: frozenset[str] = frozenset()
    """Selected units with `enabled: false`."""
    broken: frozenset[str] = frozenset()
    """Selected units whose problems were added to others: nothing more can be said of them."""


class _SpecTexts(Protocol):
    """Where the texts of specs come from when a rendering is not cached."""

    def spec_texts(self, documents: Sequence[UnitDocument]) -> list[str]:
        """The spec text of each document, in their order."""


@dataclass(frozen=True)
class RenderedKind:
    """What rendering needs to know of a kind: its defaults in nyl.toml, and a digest of everything that matters."""

    kind: UnitKind
    defaults: Mapping[str, Any]
    digest: str


def rendered_kind(kind: UnitKind, defaults: Mapping[str, Any]) -> RenderedKind:
    """A kind with the defaults that nyl.toml gives it."""
    parts = [kind.api_version, kind.kind, kind.schema_digest, defaults]
    return RenderedKind(kind, defaults, _digest(parts))


def render_units(
    environment: Environment,
    selected: Iterable[UnitDocument],
    kinds: Mapping[tuple[str, str], RenderedKind],
    texts: _SpecTexts,
    cache: Cache,
    problems: Problems,
    names: Collection[str] | None = None,
) -> Rendering:
    """The selected units, rendered; with `names` only those. Adds every problem of the environment."""
    documents = _unique(environment, selected, problems)
    if names is not None:
        documents = {name: each for name, each in documents.items() if name in names}
    specs = _Renderer(environment, kinds, texts, cache, problems).specs(documents.values())
    units, empty, disabled = {}, set(), set()
    for name, document in documents.items():
        spec = specs.get(name, _BROKEN)
        if spec is _BROKEN:
            continue
        if spec is None:
            empty.add(name)
        elif spec.get("enabled", True):
            kind = kinds[document.api_version, document.kind].kind
            units[name] = rendered_unit(document, spec, kind)
        else:
            disabled.add(name)
    broken = documents.keys() - units.keys() - empty - disabled
    return Rendering(units, frozenset(empty), frozenset(disabled), frozenset(broken))


def _unique(environment: Environment, selected: Iterable[UnitDocument], problems: Problems) -> dict[str, UnitDocument]:
    found: dict[str, UnitDocument] = {}
    for document in selected:
        first = found.setdefault(document.name, document)
        if first is not document:
            problems.add(
                NylError(
                    Code.NAME_TAKEN,
                    f"{document.location}: Environment {environment.name} selects two units named {document.name}; "
                    f"the other is at {first.location}.",
                    "rename one of them, or give them labels that different environments select",
                    environment=environment.name,
                    unit=document.name,
                    location=document.location,
                )
            )
    return dict(sorted(found.items()))


class _Renderer:
    """Gives the checked specs of some units, from the cache as far as it knows them."""

    def __init__(
        self,
        environment: Environment,
        kinds: Mapping[tuple[str, str], RenderedKind],
        texts: _SpecTexts,
        cache: Cache,
        problems: Problems,
    ) -> None:
        self._environment = environment
        self._kinds = kinds
        self._texts = texts
        self._cache = cache
        self._problems = problems
        self._context = _digest([environment.values, environment.document])

    def specs(self, documents: Collection[UnitDocument]) -> dict[str, Mapping[str, Any] | None]:
        keys = {document.name: self._key(document) for document in documents}
        known = load_all(self._cache.get_many(_NAMESPACE, keys.values()))
        specs: dict[str, Mapping[str, Any] | None] = {
            name: known[key] for name, key in keys.items() if _is_spec(known.get(key, 0))
        }
        missing = [document for document in documents if document.name not in specs]
        if missing:
            from nyl.project.spec_rendering import render_specs

            texts = self._texts.spec_texts(missing)
            fresh = render_specs(self._environment, missing, texts, self._kinds, self._problems)
            specs.update(fresh)
            encoded = {keys[name]: json.dumps(spec, separators=(",", ":")).encode() for name, spec in fresh.items()}
            self._cache.put_many(_NAMESPACE, encoded)
        return specs

    def _key(self, document: UnitDocument) -> str:
        context = self._context if document.templated else "-"
        return f"{document.spec_digest}:{context}:{self._kinds[document.api_version, document.kind].digest}"


def _is_spec(value: Any) -> bool:
    return value is None or isinstance(value, dict)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
