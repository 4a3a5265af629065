"""Completing a unit at resolution: every effective input of its target, and what the tree is rendered from.

Both come from rendering, so an answer is kept: it holds for as long as the whole source tree, the values of references,
and what is read of the publication and of carry files are the same.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from nyl import __version__
from nyl.core.canonical import digest
from nyl.core.diagnostics import NylError
from nyl.kubernetes.declared_targets import declared_target
from nyl.kubernetes.inputs.carrying import publication_bindings
from nyl.kubernetes.publication.branch import PublishedFolder
from nyl.kubernetes.resources import DeploymentTarget
from nyl.units.completion import Completion
from nyl.units.driver import ResolvedUnit
from nyl.units.publication.expansion import RELEASES
from nyl.units.source_project import SourceProject

_NAMESPACE = f"publications/{__version__}/1"


def complete(unit: ResolvedUnit, source: SourceProject) -> Completion:
    """The unit with every effective input of its target's Releases. Raises what rendering the target raises."""
    target = declared_target(source.project, unit.spec["target"])
    published = cache(lambda: source.open_publication(target.publication))
    key = _key(unit.spec, source, target, published)
    known = _known(key, unit.spec, source)
    if known is not None:
        return known
    from nyl.units.publication.rendering import render_unit  # it brings all that renders, which most runs do without

    rendering = render_unit(source.session, unit.spec, published)
    answer = {RELEASES: rendering.releases, "fingerprint": rendering.fingerprint, "readiness": rendering.readiness}
    source.session.known.put_many(_NAMESPACE, {key: json.dumps(answer).encode()})
    return _completion(unit.spec, answer)


def recall(unit: ResolvedUnit, source: SourceProject) -> Completion | None:
    """The same where it was found out before; nothing is rendered for it."""
    target = declared_target(source.project, unit.spec["target"])
    published = cache(lambda: source.open_publication(target.publication))
    return _known(_key(unit.spec, source, target, published), unit.spec, source)


def _known(key: str, spec: Mapping[str, Any], source: SourceProject) -> Completion | None:
    data = source.session.known.get_many(_NAMESPACE, [key]).get(key)
    try:
        return _completion(spec, json.loads(data)) if data is not None else None
    except (ValueError, KeyError, TypeError):
        return None  # a damaged row is one that is not there


def _completion(spec: Mapping[str, Any], answer: Mapping[str, Any]) -> Completion:
    return Completion(
        {**spec, RELEASES: dict(answer[RELEASES])}, str(answer["fingerprint"]), tuple(answer["readiness"])
    )


def _key(
    spec: Mapping[str, Any],
    source: SourceProject,
    target: DeploymentTarget,
    published: Callable[[], PublishedFolder],
) -> str:
    bound = [fields for _, fields in publication_bindings(target)]
    carried = {each["carryFileFromWorktree"] for each in bound if "carryFileFromWorktree" in each}
    state = sorted({each["path"] for each in bound})
    carry = source.session.carry_files
    return digest(
        [
            [source.tree_id(), source.tree.project_folder, source.own_url],
            [spec["target"], spec.get(RELEASES, {}), spec.get("teardownWait")],
            {path: _digest_of(carry.read, path) for path in sorted(carried)},
            {path: _digest_of(lambda each: published().read(each), path) for path in state},
        ]
    )


def _digest_of(read: Callable[[str], bytes | None], path: str) -> str | None:
    try:
        content = read(path)
    except NylError as error:
        return f"refused: {error.diagnostic.message}"  # rendering tells, if it reads the file at all
    return None if content is None else hashlib.sha256(content).hexdigest()
