"""Replaces the documents of a bundle that stand for other objects, until only ordinary objects are left.

Follows Pipeline in the Kubernetes specification.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import field, replace
from pathlib import Path

from nyl.core.cache import Cache
from nyl.core.cancellation import CancellationToken
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError, Problems
from nyl.core.scratch import drop_folder, make_folder
from nyl.kubernetes.expansion.artifacts import Artifacts, manifest_key
from nyl.kubernetes.expansion.chart_rendering import ChartCall, ChartRenderer
from nyl.kubernetes.expansion.charts import Charts
from nyl.kubernetes.expansion.context import Expansion, ExpansionContext
from nyl.kubernetes.expansion.documents import ChartUse, RemoteUse, expandable
from nyl.kubernetes.expansion.downloads import Downloads
from nyl.kubernetes.expansion.helm import Helm
from nyl.kubernetes.expansion.helm_output import helm_manifests, remote_manifests
from nyl.kubernetes.git_files import GitFiles
from nyl.kubernetes.manifests import Manifest

_MOST_LEVELS = 10
_MOST_NESTED = 1_000
"""Documents that charts of one level may render and that stand for other objects: each may render many again."""


@dataclass
class _Found:
    """What one expansion collects of the project."""

    sources: dict[str, str] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    artifacts: dict[str, str] = field(default_factory=dict)


class Expander:
    """Expands the objects of Releases. Safe to use from several threads; close it when done.

    Charts are rendered `concurrency` at a time, whichever Releases they belong to.
    """

    def __init__(
        self,
        artifacts: Artifacts,
        git: GitFiles,
        environ: Mapping[str, str],
        cache: Cache,
        cancellation: CancellationToken,
        concurrency: int = 4,
    ) -> None:
        """`environ` is what helm is started with, as far as it needs it; `cache` keeps what was rendered."""
        self._scratch = _new_folder()
        helm = Helm(environ, self._scratch, cancellation)
        self._charts = Charts(artifacts, Downloads(helm, git, self._scratch))
        self._renderer = ChartRenderer(helm, cache, self._scratch)
        self._pool = ThreadPoolExecutor(concurrency, thread_name_prefix="helm")

    def __enter__(self) -> "Expander":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Waits for charts that are being rendered and removes what was written for helm."""
        self._pool.shutdown(cancel_futures=True)
        drop_folder(self._scratch)

    def expand(self, manifests: Sequence[Manifest], context: ExpansionContext) -> Expansion:
        """The objects that a Release's bundle stands for, in the order of its documents.

        A document that stands for others is replaced in its place by what it stands for, and that again, at most ten
        levels deep. Raises every problem of one level together.
        """
        found = _Found()
        level = [_Item(each) for each in manifests]
        while uses := self._uses(level, context.project.aliases):
            jobs = {at: self._pool.submit(self._expanded, level[at], use, context) for at, use in uses.items()}
            level = self._replaced(level, jobs, found)
        objects = tuple(item.manifest for item in level)
        sources, artifacts = dict(sorted(found.sources.items())), dict(sorted(found.artifacts.items()))
        return Expansion(objects, sources, frozenset(found.folders), artifacts)

    def _uses(self, level: Sequence["_Item"], aliases: Mapping[str, str]) -> dict[int, ChartUse | RemoteUse]:
        problems = Problems()
        uses = {}
        for at, item in enumerate(level):
            try:
                use = expandable(item.manifest, aliases)
                if use is not None:
                    uses[at] = use
                    _check_depth(item, use)
            except NylError as error:
                problems.add(error)
        problems.raise_any()
        _check_width([level[at] for at in uses])
        return uses

    def _replaced(self, level: Sequence["_Item"], jobs: Mapping[int, "Future[_Part]"], found: _Found) -> list["_Item"]:
        problems = Problems()
        result: list[_Item] = []
        for at, item in enumerate(level):
            if at not in jobs:
                result.append(item)
                continue
            try:
                part = jobs[at].result()
            except NylError as error:
                problems.add(error)
                continue
            found.sources.update(part.sources)
            found.folders.update(part.folders)
            found.artifacts.update(part.artifacts)
            chain = (*item.chain, part.title)
            result.extend(_Item(manifest, chain) for manifest in part.manifests)
        problems.raise_any()
        return result

    def _expanded(self, item: "_Item", use: ChartUse | RemoteUse, context: ExpansionContext) -> "_Part":
        if isinstance(use, RemoteUse):
            return self._remote(item.manifest, use)
        manifest = item.manifest
        chart = self._charts.chart(use.reference, context.project, manifest.location)
        named = use.namespace or manifest.namespace
        call = ChartCall(
            content=chart.content,
            reference=str(use.reference),
            release=use.release,
            namespace=named or context.namespace,
            values=use.values,
            kube_version=context.kube_version,
            api_versions=context.api_versions,
            title=use.title,
            location=manifest.location,
        )
        line = f"{use.title} (chart {use.reference})"
        template = replace(manifest, provenance=(*manifest.provenance, line), namespace=named)
        objects = helm_manifests(self._renderer.rendered(call), template, use.title)
        return _Part(use.title, objects, chart.sources, chart.folders, chart.artifacts)

    def _remote(self, manifest: Manifest, use: RemoteUse) -> "_Part":
        data = self._charts.remote_file(use.url, use.sha256, manifest.location)
        template = replace(manifest, provenance=(*manifest.provenance, f"{use.title} ({use.url})"))
        key = manifest_key(use.url, use.sha256)
        return _Part(use.title, remote_manifests(data, template, use.title), artifacts={key: use.sha256})


@dataclass(frozen=True)
class _Item:
    """An object, and the documents that it was expanded from, outermost first."""

    manifest: Manifest
    chain: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Part:
    """What one document stands for."""

    title: str
    manifests: Sequence[Manifest]
    sources: Mapping[str, str] = field(default_factory=dict)
    folders: frozenset[str] = frozenset()
    artifacts: Mapping[str, str] = field(default_factory=dict)


def _new_folder() -> Path:
    try:
        return make_folder("charts")
    except OSError as error:
        message = f"No folder for temporary files can be made: {error.strerror}."
        fix = "free space there, or name another place in TMPDIR"
        raise NylError(Code.FILE_INACCESSIBLE, message, fix) from None


def _check_width(items: Sequence[_Item]) -> None:
    nested = [item for item in items if item.chain]
    if len(nested) <= _MOST_NESTED:
        return
    place = nested[0].manifest.location
    raise NylError(
        Code.EXPANSION_DEPTH,
        f"{place}: {' → '.join(nested[0].chain)} and others bring about {len(nested):,} documents that stand for other "
        f"objects, and {_MOST_NESTED:,} are allowed.",
        "let no chart bring about itself again",
        location=place,
    )


def _check_depth(item: _Item, use: ChartUse | RemoteUse) -> None:
    if len(item.chain) < _MOST_LEVELS:
        return
    place = item.manifest.location
    raise NylError(
        Code.EXPANSION_DEPTH,
        f"{place}: documents expand to each other more than {_MOST_LEVELS} levels deep: "
        f"{' → '.join((*item.chain, use.title))}.",
        "let no chart bring about itself again",
        location=place,
    )
